// Asks the server. A refusal becomes an Error in the server's own words.
import { reactive } from "vue";

import type { Session } from "./types";

export const session = reactive<Session>({ role: "nobody", csrf: "", unsafe: "", demo: false, known: false });

export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: any,
  ) {
    super(message);
  }
}

export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRF-Token"] = session.csrf;
  let answer: Response;
  try {
    answer = await fetch("/api/v1" + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refusal(0, "The class server does not answer. Try again in a moment.", null);
  }
  const text = await answer.text();
  let parsed: any = null;
  try {
    parsed = text ? JSON.parse(text) : null;
  } catch {
    parsed = null;
  }
  if (!answer.ok) {
    const error = parsed?.error;
    const message = error ? [error.what, error.next].filter(Boolean).join(". ") : `The server answers ${answer.status}.`;
    throw new Refusal(answer.status, message, parsed);
  }
  return parsed as T;
}

export const get = <T>(path: string) => ask<T>("GET", path);
export const post = <T>(path: string, body: unknown = {}) => ask<T>("POST", path, body);
export const put = <T>(path: string, body: unknown = {}) => ask<T>("PUT", path, body);
export const remove = <T>(path: string) => ask<T>("DELETE", path);

export async function loadSession() {
  const found = await get<Session>("/session");
  session.class = undefined;
  session.person = undefined;
  session.public_classes = undefined;
  session.openid = undefined;
  Object.assign(session, found, { known: true });
}

export const words = (error: unknown) => (error instanceof Error ? error.message : String(error));
