// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"fmt"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/result"
)

// showServer answers what clients ask about servers of MySQL's kind; nil for a question that is not known here.
func (c *call) showServer(what string) *answer {
	switch what {
	case "engines":
		return engines()
	case "collation":
		return collations()
	case "character set":
		a := &answer{columns: number(texts("Charset", "Description", "Default collation", "Maxlen"), 3)}
		a.add("binary", "Binary pseudo charset", "binary", 1)
		a.add(definition.CharsetName, "UTF-8 Unicode", definition.CollationName, 4)
		return a
	case "plugins":
		a := &answer{columns: texts("Name", "Status", "Type", "Library", "License")}
		a.add(definition.EngineName, "ACTIVE", "STORAGE ENGINE", nil, "Apache-2.0")
		return a
	case "triggers":
		return &answer{columns: texts("Trigger", "Event", "Table", "Statement", "Timing", "Created", "sql_mode",
			"Definer", "character_set_client",
			"collation_connection", "Database Collation"), by: 2}
	case "events":
		return &answer{columns: texts("Db", "Name", "Definer", "Time zone", "Type", "Execute at", "Interval value",
			"Interval field", "Starts", "Ends", "Status",
			"Originator", "character_set_client", "collation_connection", "Database Collation"), by: 1}
	case "master status": // there is no binary log
		return &answer{columns: texts("File", "Position", "Binlog_Do_DB", "Binlog_Ignore_DB", "Executed_Gtid_Set")}
	case "slave status":
		return &answer{columns: texts("Slave_IO_State", "Master_Host", "Master_User", "Master_Port",
			"Slave_IO_Running", "Slave_SQL_Running", "Seconds_Behind_Master")}
	case "slave hosts":
		return &answer{columns: texts("Server_id", "Host", "Port", "Master_id", "Slave_UUID")}
	case "engine innodb status":
		a := &answer{columns: long(texts("Type", "Name", "Status"), 2)}
		a.add(definition.EngineName, "", c.engineStatus())
		return a
	case "procedure status", "function status":
		return &answer{columns: texts("Db", "Name", "Type", "Definer", "Modified", "Created", "Security_type",
			"Comment", "character_set_client",
			"collation_connection", "Database Collation"), by: 1}
	}
	return nil
}

func engines() *answer {
	a := &answer{columns: texts("Engine", "Support", "Comment", "Transactions", "XA", "Savepoints")}
	a.add(definition.EngineName, "DEFAULT", "Ordered transactional wide tables", "YES", "NO", "NO")
	return a
}

func collations() *answer {
	a := &answer{columns: number(texts("Collation", "Charset", "Id", "Default", "Compiled", "Sortlen", "Pad_attribute"),
		2, 5)}
	a.add("binary", "binary", 63, "Yes", "Yes", 1, "NO PAD")
	for _, c := range [...]struct { // those that ignore case are for COLLATE in expressions
		name, isDefault, pad string
		id, length           int
	}{
		{"utf8mb4_general_ci", "", "PAD SPACE", 45, 1}, {definition.CollationName, "Yes", "NO PAD", 46, 1},
		{"utf8mb4_unicode_ci", "", "PAD SPACE", 224, 8}, {"utf8mb4_unicode_520_ci", "", "PAD SPACE", 246, 8},
		{"utf8mb4_0900_ai_ci", "", "NO PAD", 255, 0}, {"utf8mb4_0900_as_ci", "", "NO PAD", 305, 0},
	} {
		a.add(c.name, definition.CharsetName, c.id, c.isDefault, "Yes", c.length, c.pad)
	}
	return a
}

// engineStatus tells of the open transactions, in the form in which tools look for them.
func (c *call) engineStatus() string {
	const rule = "\n------------\n"
	var text strings.Builder
	const line = "\n====================================="
	text.WriteString(line + "\nWEFT, AS AN INNODB MONITOR OUTPUT" + line + rule + "TRANSACTIONS" + rule)
	if c.Transactions != nil {
		for _, t := range c.Transactions() {
			if c.session.Process != nil && !c.session.Process(&result.Process{User: t.User}) {
				continue
			}
			fmt.Fprintf(&text, "---TRANSACTION ACTIVE %d sec\n%d lock struct(s), %d row lock(s)\nMySQL thread id %d, %s\n",
				int64(time.Since(t.Begun).Seconds()), t.Held, t.Held, t.Session, t.User)
		}
	}
	text.WriteString("----------------------------\nEND OF INNODB MONITOR OUTPUT\n============================\n")
	return text.String()
}
