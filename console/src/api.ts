// SPDX-License-Identifier: Apache-2.0

import { signal } from "@preact/signals";

/** Fault is an answer of the server that is not a success. */
export class Fault extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly kind = "",
  ) {
    super(message);
  }
}

/** The API lies beside the console, below whatever path a proxy has put both. */
const root = new URL("../api/", document.baseURI);

/** Session is whether one must sign in, who has, and where the other ports are. */
export interface Session {
  auth: string;
  user: string;
  protocols: Record<string, string>;
}

/** session says whether one must sign in, and who has. The token is kept for this tab alone, and is sent with no request but ours. */
export const session = signal<Session>({ auth: "off", user: "", protocols: {} });

/** signInAsked is true once the server has refused a request because nobody has signed in. */
export const signInAsked = signal(false);

const tokenKey = "weft-token";

function headers(more: Record<string, string> = {}): Record<string, string> {
  const token = sessionStorage.getItem(tokenKey);
  return { "X-Weft-Console": "1", ...(token ? { Authorization: `Bearer ${token}` } : {}), ...more };
}

async function send(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(new URL(path, root), { cache: "no-store", ...init });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new Fault(0, "The server does not answer. Is it running?");
  }
  if (answer.ok) return answer;
  if (answer.status === 401) signInAsked.value = true;
  throw faultOf(answer.status, await answer.text());
}

/** faultOf reads the text of a failure: DynamoDB's exceptions are JSON, all others are plain. */
function faultOf(status: number, text: string): Fault {
  try {
    const body = JSON.parse(text) as { __type?: string; message?: string; Message?: string };
    return new Fault(status, body.message ?? body.Message ?? text, body.__type?.replace(/^.*#/, "") ?? "");
  } catch {
    return new Fault(status, text.trim() || `The server answered ${status}.`);
  }
}

/** getJSON reads a page of the admin port. */
export async function getJSON<T>(path: string, query: Record<string, string> = {}, abort?: AbortSignal): Promise<T> {
  const answer = await send(`${path}?${new URLSearchParams(query)}`, { headers: headers(), signal: abort });
  return (await answer.json()) as T;
}

/** postJSON sends a document and reads another. */
export async function postJSON<T>(path: string, body: string): Promise<T> {
  const answer = await send(path, { method: "POST", headers: headers({ "Content-Type": "application/json" }), body });
  return (await answer.json()) as T;
}

/** dynamo sends a request of DynamoDB's API, about items of the default database if none is named. explain asks how a Query or Scan is read in place of its answer. */
export async function dynamo<T>(operation: string, body: unknown, o: { database?: string; abort?: AbortSignal; explain?: "true" | "analyze" } = {}): Promise<T> {
  const answer = await send("dynamodb", {
    method: "POST",
    headers: headers({ "X-Amz-Target": `DynamoDB_20120810.${operation}`, ...(o.database ? { "X-Weft-Database": o.database } : {}), ...(o.explain ? { "X-Weft-Explain": o.explain } : {}) }),
    body: JSON.stringify(body),
    signal: o.abort,
  });
  return JSON.parse((await answer.text()) || "{}") as T;
}

/** dynamoStreams sends a request of the API of DynamoDB's streams. */
export async function dynamoStreams<T>(operation: string, body: unknown, abort?: AbortSignal): Promise<T> {
  const answer = await send("dynamodb", { method: "POST", headers: headers({ "X-Amz-Target": `DynamoDBStreams_20120810.${operation}` }), body: JSON.stringify(body), signal: abort });
  return JSON.parse((await answer.text()) || "{}") as T;
}

/** SqlValue is a value as the server writes it: numbers are texts, so that no digit is lost. */
export type SqlValue = null | string | { base64: string };
export interface SqlColumn {
  name: string;
  type: string;
  table?: string;
  key?: boolean;
}
export interface SqlDone {
  rows: number;
  affected: number;
  warnings?: number;
  info?: string;
  limited?: boolean;
}
/** SqlResult is the answer of one statement of a text. */
export interface SqlResult {
  columns: SqlColumn[];
  rows: SqlValue[][];
  done?: SqlDone;
}
interface SqlLine {
  columns?: SqlColumn[];
  rows?: SqlValue[][];
  done?: SqlDone;
  error?: { code: number; message: string };
}

/** sql runs a text and returns the answer of each of its statements. told is called as rows come in. */
export async function sql(
  statement: string,
  o: { database?: string; rowsMax?: number; abort?: AbortSignal; told?: (results: SqlResult[]) => void } = {},
): Promise<SqlResult[]> {
  const answer = await send("sql", {
    method: "POST",
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify({ statement, database: o.database, rowsMax: o.rowsMax }),
    signal: o.abort,
  });
  const results: SqlResult[] = [];
  let current: SqlResult | undefined;
  const begin = () => {
    current = { columns: [], rows: [] };
    results.push(current);
    return current;
  };
  for await (const text of lines(answer)) {
    const line = JSON.parse(text) as SqlLine;
    if (line.error) throw new Fault(400, line.error.message, String(line.error.code));
    if (line.columns) begin().columns = line.columns;
    if (line.rows) (current ?? begin()).rows.push(...line.rows);
    if (line.done) {
      (current ?? begin()).done = line.done;
      current = undefined;
    }
    o.told?.(results);
  }
  return results;
}

/** HBaseRow is a row of a scan, with its cells: by family and qualifier, newest first. */
export interface HBaseRow {
  row: string | { base64: string };
  cells: { family: string | { base64: string }; qualifier: string | { base64: string }; timestamp: number | string; value: string | { base64: string } }[];
}

/** scan scans a table of HBase's APIs. told is called as rows come in. */
export async function scan(request: unknown, o: { abort?: AbortSignal; told?: (rows: HBaseRow[]) => void } = {}): Promise<{ rows: HBaseRow[]; limited: boolean }> {
  const answer = await send("hbase/scan", { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(request), signal: o.abort });
  const rows: HBaseRow[] = [];
  for await (const text of lines(answer)) {
    const line = JSON.parse(text) as { rows?: HBaseRow[]; done?: { limited: boolean }; error?: { message: string } };
    if (line.error) throw new Fault(400, line.error.message);
    if (line.done) return { rows, limited: line.done.limited };
    rows.push(...line.rows!);
    o.told?.(rows);
  }
  throw new Fault(0, "The server has ended the connection before the end of the answer.");
}

/** explainScan asks how a scan is read, and with "analyze" what that takes. */
export async function explainScan<T>(request: object, how: "plan" | "analyze", abort?: AbortSignal): Promise<T> {
  const answer = await send("hbase/scan", { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify({ ...request, explain: how }), signal: abort });
  for await (const text of lines(answer)) {
    const line = JSON.parse(text) as { plan?: T; error?: { message: string } };
    if (line.error) throw new Fault(400, line.error.message);
    if (line.plan) return line.plan;
  }
  throw new Fault(0, "The server has ended the connection before the end of the answer.");
}

/** lines cuts an answer into lines as they come. */
async function* lines(answer: Response): AsyncGenerator<string> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop()!;
    for (const part of parts) if (part) yield part;
  }
  if (rest) yield rest;
}

/** events calls told with each event of a stream until abort, and begins again when the stream ends. lost is called while there is none. */
export async function events<T>(path: string, abort: AbortSignal, told: (event: T) => void, lost: (fault: Error) => void): Promise<void> {
  while (!abort.aborted) {
    try {
      const answer = await send(path, { headers: headers({ Accept: "text/event-stream" }), signal: abort });
      for await (const line of lines(answer)) if (line.startsWith("data: ")) told(JSON.parse(line.slice(6)) as T);
      lost(new Fault(0, "The server has ended the connection."));
    } catch (e) {
      if (abort.aborted) return;
      lost(e as Error);
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

/** readSession asks the server who one is. */
export async function readSession(): Promise<void> {
  session.value = await getJSON<Session>("session");
}

/** signIn keeps the token of a new session. */
export async function signIn(user: string, password: string): Promise<void> {
  const answer = await send("session", { method: "POST", headers: headers(), body: JSON.stringify({ user, password }) });
  const { token } = (await answer.json()) as { token: string };
  sessionStorage.setItem(tokenKey, token);
  signInAsked.value = false;
  await readSession();
}

/** signOut ends the session, and leaves nothing of it in this tab. */
export async function signOut(): Promise<void> {
  await send("session", { method: "DELETE", headers: headers() });
  sessionStorage.clear();
  location.reload();
}
