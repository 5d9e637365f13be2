// SPDX-License-Identifier: Apache-2.0
//
// Starts the server and a browser for the tests, and watches what the pages do: errors in the console and requests to other hosts fail the test.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const browserPath = process.env.WEFT_CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
// The binary refuses variables of its prefix that it does not know: those of tests.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^WEFT_(ROUNDS|BASE|CHROMIUM|TEST_.*)$/.test(name)));
const binary = process.env.WEFT_TEST_BINARY ?? new URL("../../bin/weft", import.meta.url).pathname;

/** Server is a weft that runs, with its ports. */
export async function startServer(command = "serve", ...flags) {
  const folder = mkdtempSync(join(tmpdir(), "weft-console-"));
  const free = "127.0.0.1:0";
  const child = spawn(
    binary,
    [command, "--data", folder, "--admin-addr", free, "--dynamodb-addr", free, "--mysql-addr", free, "--hbase-addr", "off", "--hbase-thrift1-addr", "off", "--log-format", "json", "--log-level", "info", ...flags],
    { env, stdio: ["ignore", "pipe", "pipe"] },
  );
  const log = [];
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const printed = [];
  const ready = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      log.push(line);
      if (line.includes('"msg":"ready"')) resolve(JSON.parse(line));
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      printed.push(line);
      if (line.startsWith("More to try")) child.emit("demo");
    });
    ended.then(() => reject(new Error(`the server ended: ${log.join("\n")}`)));
  });
  if (command === "demo" && !printed.some((line) => line.startsWith("More to try"))) await new Promise((resolve) => child.once("demo", resolve));
  return {
    admin: `http://${ready.admin}`,
    console: `http://${ready.admin}/console/`,
    dynamo: `http://${ready.dynamodb}`,
    printed,
    log,
    /** stop ends the server, which must have logged no errors but those with a text that is expected. */
    async stop(...expected) {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
      const errors = log.filter((line) => line.includes('"level":"ERROR"') && !expected.some((text) => line.includes(text)));
      if (errors.length > 0) throw new Error(`the server has logged errors:\n${errors.join("\n")}`);
    },
  };
}

/** api sends a request to DynamoDB's API through the admin port, as a program may. */
export async function dynamo(server, operation, body) {
  const answer = await fetch(`${server.admin}/api/dynamodb`, {
    method: "POST",
    headers: { "X-Weft-Console": "1", "X-Amz-Target": `DynamoDB_20120810.${operation}` },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${operation}: ${text}`);
  return JSON.parse(text || "{}");
}

/** sql runs a statement through the admin port, and returns the lines of its answer. */
export async function sql(server, statement) {
  const answer = await fetch(`${server.admin}/api/sql`, { method: "POST", headers: { "X-Weft-Console": "1" }, body: JSON.stringify({ statement }) });
  const lines = (await answer.text()).trim().split("\n").map((line) => JSON.parse(line));
  const failed = lines.find((line) => line.error);
  if (failed) throw new Error(`${statement}: ${failed.error.message}`);
  return lines;
}

/** startBrowser starts Chromium with a fresh profile. */
export async function startBrowser() {
  if (!browserPath) throw new Error("there is no Chromium: install the package chromium, or set WEFT_CHROMIUM");
  return chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** openPage opens a page of the console. Its faults are what a test must find empty at its end. */
export async function openPage(browser, server, path = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.CONSOLE_TIMEOUT ?? 30_000));
  const faults = [];
  const allowed = options.allowed ?? [];
  page.on("console", (message) => {
    if (message.type() === "error" && !allowed.some((text) => message.text().includes(text))) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.stack ?? error}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== new URL(server.admin).origin) faults.push(`request to another host: ${url}`);
  });
  page.faults = faults;
  await page.goto(server.console + path);
  return page;
}
