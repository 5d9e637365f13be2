// SPDX-License-Identifier: Apache-2.0

package token

import (
	"strings"
	"testing"
)

// TestShow looks for the password in what is shown of statements.
func TestShow(t *testing.T) {
	const password = "hunter2"
	for _, text := range []string{
		"CREATE USER ann IDENTIFIED BY 'hunter2'", "create  user/**/ann identified by 'hunter2'",
		"/* x */ ALTER\nUSER ann IDENTIFED BY 'hunter2'",
		"SET PASSWORD = 'hunter2'", "set /* c */ password for ann = 'hunter2'", "SELECT 1; SET PASSWORD = 'hunter2'",
		"SELECT 1;CREATE USER ann hunter2",
		"GRANT SELECT ON *.* TO ann IDENTIFIED BY 'hunter2'",
		"PREPARE s FROM 'CREATE USER ann IDENTIFIED BY ''hunter2'''",
		"SET @q = 'SET PASSWORD = ''hunter2'''", "/*!50000 CREATE USER ann 'hunter2' */",
		"CREATE OR REPLACE USER ann 'hunter2'", "CREATE USER ann IDENTIFIED BY 'hunter2",
		"ALTER USER USER() IDENTIFIED BY 'hunter2'", "EXPLAIN SET PASSWORD 'hunter2' IDENTIFIED",
	} {
		if shown := string(Show([]byte(text))); strings.Contains(shown, password) {
			t.Errorf("%s\nis shown as %s", text, shown)
		}
	}
	for _, text := range []string{
		"", ";", "SELECT password FROM user", "UPDATE users SET password = 'x' WHERE id = 1",
		"INSERT INTO user(password) VALUES ('x')", "CREATE TABLE user (password TEXT)", "'",
	} {
		if shown := string(Show([]byte(text))); shown != text {
			t.Errorf("%s\nis shown as %s", text, shown)
		}
	}
}
