// SPDX-License-Identifier: Apache-2.0

// Package sqlshell is weft sql: it runs statements of SQL that come from the command line, a file, a pipe or a person
// at a terminal, and prints their answers. It speaks MySQL's protocol, so that it runs against any server.
//
// Knows: scripts, what answers look like, the keys of the line editor, backslash commands.
// Never: what a statement means, databases, engines.
package sqlshell
