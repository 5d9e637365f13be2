// SPDX-License-Identifier: Apache-2.0

import { getJSON, session } from "../api";
import { ago } from "../format";
import { Sheet } from "../parts/sheet";
import { Failure, Loading } from "../parts/states";
import { useResource } from "../parts/resource";

interface User {
  name: string;
  role?: boolean;
  createdAt: string;
  policies: string[];
  grants: string[];
  roles: string[];
  accessKeys: { id: string; disabled?: boolean; createdAt: string }[];
}

/** Users are those who may sign in, with what they may do and their access keys. Administrators see them. */
export function Users() {
  const users = useResource((abort) => getJSON<User[]>("users", {}, abort), [], 10_000);
  const off = session.value.auth === "off" && <p class="muted">Access control is off: every client has all rights, whatever this page shows.</p>;
  if (!users.value) return users.error ? <Failure error={users.error} retry={users.reload} /> : <Loading what="users" />;
  return (
    <>
      {off}
      <p class="muted">Users are changed by SQL (<code>CREATE USER</code>, <code>GRANT</code>, <code>DROP USER</code>) and by <code>weft user</code>, which also makes access keys and policies.</p>
      {users.value.length === 0 && <p class="muted">There are no users.</p>}
      {users.value.length > 0 && (
        <Sheet
          rows={users.value}
          id={(u) => u.name}
          columns={[
            { title: "User", cell: (u) => <>{u.name}{u.role && <span class="badge">role</span>}</> },
            { title: "Policies", cell: (u) => u.policies.join(", ") || "–" },
            { title: "Grants", cell: (u) => u.grants.map((g) => <div key={g}>{g}</div>) },
            { title: "Roles", cell: (u) => u.roles.join(", ") || "–" },
            { title: "Access keys", cell: (u) => (u.accessKeys.length === 0 ? "–" : u.accessKeys.map((k) => <div key={k.id}><code>{k.id}</code>{k.disabled && <span class="badge">disabled</span>} <span class="muted">made {ago(k.createdAt)}</span></div>)) },
            { title: "Made", cell: (u) => ago(u.createdAt) },
          ]}
        />
      )}
    </>
  );
}
