// SPDX-License-Identifier: Apache-2.0

package oracle

// In the summer of 2026 AWS has re-worded what it says of requests that are wrong whatever is stored, but not for all
// operations.

const textEnclosure = "1 validation error detected: "

// encloses reports whether an operation tells such faults behind textEnclosure.
func encloses(operation string) bool {
	return operation == "PutItem" || operation == "UpdateItem" || operation == "DeleteItem"
}

// keepsOlder reports whether an operation has kept the older words.
func keepsOlder(operation string) bool {
	switch operation {
	case "BatchWriteItem", "TransactGetItems", "TransactWriteItems":
		return true
	}
	return false
}

// enclosed words texts as an operation tells them.
func enclosed(operation string, texts []string) []string {
	if encloses(operation) {
		return prefixed(textEnclosure, texts)
	}
	return texts
}

// enumFault refuses a value of ReturnConsumedCapacity.
func enumFault(operation, value string) *Failure {
	const rule = "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
	if keepsOlder(operation) {
		return invalid(textEnclosure + "Value '" + value +
			"' at 'returnConsumedCapacity' failed to satisfy constraint: " + rule)
	}
	return invalid(textEnclosure + "Failed to satisfy constraint: " + rule)
}
