// SPDX-License-Identifier: Apache-2.0

package schemas

// showServer answers what clients ask about servers of MySQL's kind; nil for what is not known here.
func (c *call) showServer(what string) *answer {
	switch what {
	case "engines":
		return engines()
	case "collation":
		return collations()
	case "character set":
		a := &answer{columns: number(texts("Charset", "Description", "Default collation", "Maxlen"), 3)}
		a.add("binary", "Binary pseudo charset", "binary", 1)
		a.add("utf8mb4", "UTF-8 Unicode", collationName, 4)
		return a
	case "plugins":
		a := &answer{columns: texts("Name", "Status", "Type", "Library", "License")}
		a.add(engineName, "ACTIVE", "STORAGE ENGINE", nil, "Apache-2.0")
		return a
	case "triggers":
		return &answer{columns: texts("Trigger", "Event", "Table", "Statement", "Timing", "Created", "sql_mode", "Definer", "character_set_client",
			"collation_connection", "Database Collation"), by: 2}
	case "events":
		return &answer{columns: texts("Db", "Name", "Definer", "Time zone", "Type", "Execute at", "Interval value", "Interval field", "Starts", "Ends", "Status",
			"Originator", "character_set_client", "collation_connection", "Database Collation"), by: 1}
	case "procedure status", "function status":
		return &answer{columns: texts("Db", "Name", "Type", "Definer", "Modified", "Created", "Security_type", "Comment", "character_set_client",
			"collation_connection", "Database Collation"), by: 1}
	}
	return nil
}

func engines() *answer {
	a := &answer{columns: texts("Engine", "Support", "Comment", "Transactions", "XA", "Savepoints")}
	a.add(engineName, "DEFAULT", "Ordered transactional wide tables", "YES", "NO", "NO")
	return a
}

func collations() *answer {
	a := &answer{columns: number(texts("Collation", "Charset", "Id", "Default", "Compiled", "Sortlen", "Pad_attribute"), 2, 5)}
	a.add("binary", "binary", 63, "Yes", "Yes", 1, "NO PAD")
	a.add(collationName, "utf8mb4", 46, "Yes", "Yes", 1, "NO PAD")
	return a
}
