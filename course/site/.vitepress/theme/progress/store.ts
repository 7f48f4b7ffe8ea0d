// What the reader has done, kept in the browser: pages that were read and answers that were given.
import { reactive } from "vue";

export interface Answer {
  first_right: boolean; // the score counts the first try
  right: boolean;
  tries: number;
  given: string; // as it would be typed in `ridge quiz`
}

interface Progress {
  read: Record<string, true>; // by path, without the site's base
  last: string; // the page that was open last
  answers: Record<string, Record<string, Answer>>; // by quiz and question
}

const kKey = "ridgepoint.progress";
const empty = (): Progress => ({ read: {}, last: "", answers: {} });
export const progress = reactive<Progress>(empty());

// In the browser only, once the page is there: what the server rendered has no progress.
export function load_progress() {
  try {
    const stored = JSON.parse(localStorage.getItem(kKey) ?? "{}");
    for (const key of Object.keys(empty()) as (keyof Progress)[])
      if (typeof stored[key] === typeof progress[key] && stored[key] !== null) Object.assign(progress, { [key]: stored[key] });
  } catch {
    // Storage is closed or damaged: progress is then kept until the page is left.
  }
}

function save() {
  try {
    localStorage.setItem(kKey, JSON.stringify(progress));
  } catch {
    // As above.
  }
}

export function mark_read(path: string, is_read: boolean) {
  if (is_read) progress.read[path] = true;
  else delete progress.read[path];
  save();
}

export function remember_page(path: string) {
  progress.last = path;
  save();
}

export function remember_answer(quiz: string, question: string, right: boolean, given: string) {
  const answers = (progress.answers[quiz] ??= {});
  const before = answers[question];
  answers[question] = { first_right: before ? before.first_right : right, right, tries: (before?.tries ?? 0) + 1, given };
  save();
}

export function forget_quiz(quiz: string) {
  delete progress.answers[quiz];
  save();
}

export function forget_everything() {
  Object.assign(progress, empty());
  save();
}

// How many questions of a quiz were answered right at the first try.
export const right_of = (quiz: string) => Object.values(progress.answers[quiz] ?? {}).filter((answer) => answer.first_right).length;
export const answered_of = (quiz: string) => Object.keys(progress.answers[quiz] ?? {}).length;
