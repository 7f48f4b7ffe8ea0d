// What the reader must mend: said in one sentence, without a stack.
export class Trouble extends Error {}
