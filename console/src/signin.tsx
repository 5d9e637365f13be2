// SPDX-License-Identifier: Apache-2.0

import { useSignal } from "@preact/signals";
import { signIn, signInAsked } from "./api";
import { Dialog } from "./parts/dialog";

/** SignIn asks for a name and a password. */
export function SignIn() {
  const user = useSignal("");
  const password = useSignal("");
  const error = useSignal("");
  const busy = useSignal(false);
  const submit = async (e: Event) => {
    e.preventDefault();
    busy.value = true;
    try {
      await signIn(user.value, password.value);
      location.reload();
    } catch (fault) {
      error.value = (fault as Error).message;
    }
    busy.value = false;
  };
  return (
    <Dialog title="Sign in" close={() => (signInAsked.value = false)}>
      <form onSubmit={submit} class="column">
        <p>Access control is on. Sign in as a user of the database; what you can do here is what the user may do.</p>
        <label class="field">
          User
          <input value={user.value} autocomplete="username" onInput={(e) => (user.value = e.currentTarget.value)} autofocus required />
        </label>
        <label class="field">
          Password
          <input type="password" value={password.value} autocomplete="current-password" onInput={(e) => (password.value = e.currentTarget.value)} required />
        </label>
        {error.value && <p role="alert" class="error">{error.value}</p>}
        <div class="actions">
          <button type="submit" class="primary" disabled={busy.value}>Sign in</button>
        </div>
      </form>
    </Dialog>
  );
}
