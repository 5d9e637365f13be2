// SPDX-License-Identifier: Apache-2.0

// Decides requests by @cloud-copilot/iam-simulate: a JSON line for each on standard input, its result as a line on standard output.
import { createInterface } from 'node:readline'
import { createValidatedPolicy } from '@cloud-copilot/iam-policy'
import { runUnsafeSimulation } from '@cloud-copilot/iam-simulate'

const account = '123456789012'
// What has several values in a request is a list for the simulator.
const lists = new Set(['dynamodb:leadingkeys', 'dynamodb:attributes', 'aws:tagkeys'])
const effects = { Allowed: 'Allow', ExplicitlyDenied: 'Deny', ImplicitlyDenied: 'NoMatch' }
const answers = []
for await (const line of createInterface({ input: process.stdin })) {
  const { identity, resource, principal, action, on, keys } = JSON.parse(line)
  const context = Object.fromEntries(Object.entries(keys).map(([name, values]) => [name, lists.has(name) ? values : values[0]]))
  const result = runUnsafeSimulation({
    request: { principal, action, resource: { resource: on, accountId: account }, contextVariables: context },
    identityPolicies: (identity ?? []).map((policy, i) => ({ name: `p${i}`, policy })),
    // The simulator wants a name for it, which only a validated policy has.
    resourcePolicy: resource && createValidatedPolicy(resource, () => [], { name: 'resource' }),
    serviceControlPolicies: [],
    resourceControlPolicies: [],
  }, {})
  answers.push(effects[result] ?? result)
}
process.stdout.write(answers.join('\n') + '\n')
