// Times and numbers as people read them.
export function ago(at_ms: number, now_ms: number = Date.now()): string {
  const seconds = Math.max(0, Math.round((now_ms - at_ms) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86400)} d ago`;
}

export function moment(at_ms: number): string {
  return new Date(at_ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

export const percent = (figure: number | null) => (figure === null ? "" : figure.toFixed(1));

// "02-coalescing/4-transpose-tiled" is "02/4".
export function short(rung: string): string {
  const found = /^(\d+)-[^/]*\/(\d+)-/.exec(rung);
  return found ? `${found[1]}/${found[2]}` : rung;
}
