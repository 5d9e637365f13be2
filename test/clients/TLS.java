// SPDX-License-Identifier: Apache-2.0

import java.sql.DriverManager;

/** Signs in over TLS, with a host name and a certificate that are verified. Usage: TLS url user password. */
class TLS {
  public static void main(String[] arguments) throws Exception {
    try (var connection = DriverManager.getConnection(arguments[0], arguments[1], arguments[2]);
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT name FROM fruit WHERE id = 1")) {
      rows.next();
      System.out.println(rows.getString(1));
    }
  }
}
