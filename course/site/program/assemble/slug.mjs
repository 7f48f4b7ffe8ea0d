// The anchor of a heading, as code hosts make it: the same link works in both places.
export function slugify(heading) {
  return heading
    .replace(/<[^>]*>/g, "")
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}
