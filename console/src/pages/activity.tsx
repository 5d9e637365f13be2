// SPDX-License-Identifier: Apache-2.0

import type { FunctionComponent } from "preact";
import { Backups } from "../activity/backups";
import { Sessions } from "../activity/sessions";
import { Slow } from "../activity/slow";
import { Streams } from "../activity/streams";
import { Transactions, Waiting } from "../activity/transactions";
import { Users } from "../activity/users";
import { BackgroundWork } from "../activity/work";
import { link, route } from "../route";

/** views are the parts of the page, each with an address of its own. */
const views: Record<string, { title: string; sections: [title: string, body: FunctionComponent][] }> = {
  now: { title: "Now", sections: [["SQL sessions and statements", Sessions], ["Open transactions", Transactions], ["Waiting for rows", Waiting], ["Background work", BackgroundWork]] },
  slow: { title: "Slow statements", sections: [["Slow statements", Slow]] },
  streams: { title: "Streams", sections: [["Changes as they come", Streams]] },
  backups: { title: "Backups", sections: [["Backups", Backups]] },
  users: { title: "Users", sections: [["Users and access keys", Users]] },
};

/** Activity shows who does what now, and what is kept of what was done. */
export function Activity() {
  const at = views[route.value.parts[0] ?? ""] ? route.value.parts[0]! : "now";
  return (
    <>
      <div class="bar">
        <h1 style={{ margin: 0 }}>Activity</h1>
        <nav class="tabs" aria-label="What is shown">
          {Object.entries(views).map(([name, view]) => (
            <a key={name} href={link("activity", name === "now" ? [] : [name])} aria-current={name === at ? "page" : undefined}>{view.title}</a>
          ))}
        </nav>
      </div>
      {views[at]!.sections.map(([title, Body]) => (
        <section key={title}>
          <h2>{title}</h2>
          <Body />
        </section>
      ))}
    </>
  );
}
