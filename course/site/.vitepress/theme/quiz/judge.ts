// Whether an answer is right, by the rules of `ridge quiz` (harness/course/quiz.cpp).
export interface Question {
  id: string;
  kind: "number" | "choice" | "lanes";
  text: string;
  table?: string;
  picture?: string;
  choices?: string[];
  right?: number; // of the choices, from 1
  line?: number; // of a diagnosis
  value?: number;
  within_percent?: number;
  unit?: string;
  lanes?: string;
  why: string;
  read?: string;
}

export interface Step {
  name: string;
  text: string;
  choice: { text: string; reply: string; next?: string; good?: boolean }[];
}
export interface Scenario {
  id: string;
  title: string;
  step: Step[];
}
export interface Quiz {
  name: string;
  title: string;
  questions: Question[];
  scenarios: Scenario[];
}

// What the reader gave: a number as text, a choice from 0 with a line, or lanes.
export interface Given {
  text?: string;
  choice?: number;
  line?: number;
  lanes?: number[];
}

// "0, 4, 8-11" -> [0, 4, 8, 9, 10, 11]
export function lanes_in(text: string): number[] {
  return text.split(",").flatMap((part) => {
    const [first, last = first] = part.split("-").map((one) => Number(one.trim()));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

// "1,024", "16 sectors", "0.083" and "1e6" are numbers; undefined: it is none.
export function number_in(text: string): number | undefined {
  const match = text.replaceAll(",", "").match(/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/i);
  return match ? Number(match[0]) : undefined;
}

// undefined: nothing was given that could be judged.
export function is_right(question: Question, given: Given): boolean | undefined {
  if (question.kind === "choice") {
    if (given.choice === undefined || (question.line && given.line === undefined)) return undefined;
    return given.choice + 1 === question.right && (!question.line || given.line === question.line);
  }
  if (question.kind === "lanes") {
    if (!given.lanes?.length) return undefined;
    const wanted = lanes_in(question.lanes ?? "");
    return wanted.length === given.lanes.length && wanted.every((lane) => given.lanes?.includes(lane));
  }
  const number = number_in(given.text ?? "");
  if (number === undefined) return undefined;
  const value = question.value ?? 0;
  return Math.abs(number - value) <= Math.max((Math.abs(value) * (question.within_percent ?? 0)) / 100, 1e-9);
}

const letter = (choice: number) => String.fromCharCode(97 + choice);

function lane_ranges(lanes: number[]): string {
  const parts: string[] = [];
  const sorted = [...lanes].sort((a, b) => a - b);
  for (let i = 0; i < sorted.length; ) {
    let last = i;
    while (sorted[last + 1] === sorted[last] + 1) ++last;
    parts.push(last > i ? `${sorted[i]}-${sorted[last]}` : `${sorted[i]}`);
    i = last + 1;
  }
  return parts.join(", ");
}

// As `ridge quiz` takes it: "16", "b", "b 7", "0, 4-7".
export function typed(question: Question, given: Given): string {
  if (question.kind === "number") return String(number_in(given.text ?? "") ?? "");
  if (question.kind === "lanes") return lane_ranges(given.lanes ?? []);
  return letter(given.choice ?? 0) + (question.line ? ` ${given.line}` : "");
}

// In words: "16 sectors", "b) bank conflicts, line 4", "lanes 0, 4".
export function right_answer(question: Question): string {
  if (question.kind === "number") return `${Number((question.value ?? 0).toPrecision(10))}${question.unit ? " " + question.unit : ""}`;
  if (question.kind === "lanes") return `lanes ${lane_ranges(lanes_in(question.lanes ?? ""))}`;
  const index = (question.right ?? 1) - 1;
  return `${letter(index)}) ${question.choices?.[index]}${question.line ? `, line ${question.line}` : ""}`;
}
