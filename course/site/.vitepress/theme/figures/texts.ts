// Texts that several figures share.

export const trace_keys =
  "Keys in the figure: Space plays and pauses, left and right arrow show the access before and after, comma and full stop " +
  "the costly access before and after, Home and End the first and the last, digits choose a view, question mark lists all keys.";
