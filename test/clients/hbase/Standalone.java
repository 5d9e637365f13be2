// SPDX-License-Identifier: Apache-2.0

import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.thrift.ThriftServer;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;

/**
 * Standalone is HBase in one process: ZooKeeper, a master that serves regions, and the servers of Thrift2 over HTTP and of Thrift2 and Thrift1 over
 * sockets, buffered and binary. Arguments: a folder, and the ports of the three.
 */
public class Standalone {
  public static void main(String[] arguments) throws Exception {
    Configuration c = HBaseConfiguration.create();
    c.set("hbase.rootdir", "file://" + arguments[0] + "/data");
    c.set("hbase.zookeeper.quorum", "127.0.0.1");
    c.setBoolean("hbase.unsafe.stream.capability.enforce", false);
    c.setBoolean("hbase.localcluster.assign.random.ports", true);
    c.set("hbase.wal.provider", "filesystem");
    for (String server : new String[] {"hbase.master", "hbase.regionserver"}) {
      c.set(server + ".hostname", "localhost");
      c.set(server + ".ipc.address", "127.0.0.1");
      c.setInt(server + ".info.port", -1);
    }
    MiniZooKeeperCluster keeper = new MiniZooKeeperCluster(c);
    keeper.startup(new File(arguments[0], "zookeeper"));
    c.setInt("hbase.zookeeper.property.clientPort", keeper.getClientPort());
    new LocalHBaseCluster(c, 1).startup();
    Configuration web = new Configuration(c);
    web.setBoolean("hbase.regionserver.thrift.http", true);
    serve(new ThriftServer(c), arguments[3]);
    serve(new org.apache.hadoop.hbase.thrift2.ThriftServer(c), arguments[2]);
    serve(new org.apache.hadoop.hbase.thrift2.ThriftServer(web), arguments[1]);
  }

  static void serve(ThriftServer server, String port) {
    new Thread(() -> {
      try {
        server.run(new String[] {"-p", port, "-b", "127.0.0.1", "--infoport", "-1", "start"});
      } catch (Exception e) {
        e.printStackTrace();
        System.exit(1); // a process that serves only some of them would be waited for
      }
    }).start();
  }
}
