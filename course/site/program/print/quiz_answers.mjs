// The right answer of a question in words, for paper.
const letter = (index) => String.fromCharCode(97 + index);

export function right_answer(question) {
  if (question.kind === "number") return `${Number(question.value.toPrecision(10))}${question.unit ? " " + question.unit : ""}`;
  if (question.kind === "lanes") return `lanes ${question.lanes}`;
  return `${letter(question.right - 1)})${question.line ? `, line ${question.line}` : ""}`;
}
