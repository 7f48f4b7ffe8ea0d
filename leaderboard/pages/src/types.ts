// What the server's answers look like, as far as the pages read them.
export interface Person {
  id: number;
  name: string;
}

export interface Session {
  role: "nobody" | "student" | "instructor" | "board" | "worker";
  csrf: string;
  unsafe: string;
  demo: boolean;
  known: boolean;
  class?: string;
  person?: Person & { nickname: string; anonymous: boolean; board_key: string };
  public_classes?: string[];
  openid?: string;
}

export interface RungInfo {
  path: string;
  title: string;
  weight: number;
}

export interface OwnScore {
  points: number;
  due: string;
  due_ms: number;
  rungs: Record<string, { submission: number; verdict: string; late_factor: number; value: number }>;
}

export interface AssignmentInfo {
  name: string;
  title: string;
  engine: string; // where the grade that counts is made
  engines: string[]; // that one first
  points: number;
  due: string;
  due_ms: number;
  due_field: string;
  hidden_until_ms: number;
  hidden_until_field: string;
  late_percent_per_day: number;
  late_days: number;
  frozen: boolean;
  rungs: RungInfo[];
  own?: OwnScore;
}

export interface ClassInfo {
  name: string;
  title: string;
  time_zone: string;
  counts: string;
  now_ms: number;
  role: string;
  unsafe: string;
  assignments: AssignmentInfo[];
}

export interface Cell {
  verdict: string;
  passed: boolean;
  figure: number | null;
  times?: number;  // as fast as the rung's second baseline
  submission?: number;
}

export interface BoardRow {
  rank: number;
  key: string;
  name: string;
  cells: (Cell | null)[];
  passed: number;
  gold: number;
  at_ms: number;
  spark: number[];
  student?: Person;
}

export interface Board {
  class: { name: string; title: string };
  assignment: { name: string; title: string; engine: string; due: string; due_ms: number; frozen_ms: number | null; rungs: RungInfo[] };
  students: number;
  boards: { engine: string; device: string; figure: { kind: string; label: string }; rows: BoardRow[] }[];
  unsafe: string;
}

export interface Gate {
  count: string;
  at_most: number | null;
  at_least: number | null;
  value: number;
  passed: boolean;
  why: string;
}

export interface Submission {
  id: number;
  student: Person;
  class: string;
  assignment: string;
  rung: string;
  received: string;
  received_ms: number;
  state: string;
  chosen: boolean;
  may_choose: boolean;
  invalid_reason: string;
  files: { name: string; text: string }[];
  ahead: number;
  progress: string;
  trace: boolean;
  late_factor: number;
  events: { at_ms: number; kind: string; detail: string }[];
  further: { target: string; state: string; verdict: string; device: string; figure: number | null }[];
  grade: null | {
    verdict: string;
    passed: boolean;
    engine: string;
    device: string;
    figure: number | null;
    summary: string;
    next: string;
    seconds: number;
    attempt: number;
    result: { detail?: string; gates?: Gate[]; size?: string; sandbox?: string };
  };
}

export interface SubmissionRow {
  id: number;
  student?: Person;
  rung: string;
  assignment: string;
  received_ms: number;
  state: string;
  chosen?: boolean;
  invalid_reason: string;
  verdict: string;
  figure: number | null;
  engine?: string;
  device?: string;
}

export interface History {
  student: Person;
  assignments: AssignmentInfo[];
  submissions: SubmissionRow[];
}

export interface Student extends Person {
  email: string;
  number: string;
  section: string;
  nickname: string;
  anonymous: boolean;
  joined_ms: number | null;
  submissions: number;
  last_ms: number | null;
}

export interface RegradeRow {
  submission: number;
  student: Person;
  rung: string;
  before: { verdict: string; figure: number | null; device: string } | null;
  after: { verdict: string; figure: number | null; device: string };
  changes: boolean;
}

export interface Regrade {
  id: number;
  what: string;
  state: "running" | "ready" | "applied";
  total: number;
  done: number;
  changed: number;
  failed: number;
  created_ms: number;
  rows?: RegradeRow[];
}
