// SPDX-License-Identifier: Apache-2.0

import com.amazonaws.services.dynamodbv2.streamsadapter.AmazonDynamoDBStreamsAdapterClient;
import com.amazonaws.services.dynamodbv2.streamsadapter.StreamsSchedulerFactory;
import com.amazonaws.services.dynamodbv2.streamsadapter.model.DynamoDBStreamsProcessRecordsInput;
import com.amazonaws.services.dynamodbv2.streamsadapter.polling.DynamoDBStreamsPollingConfig;
import com.amazonaws.services.dynamodbv2.streamsadapter.processor.DynamoDBStreamsShardRecordProcessor;
import com.amazonaws.services.dynamodbv2.streamsadapter.serialization.RecordObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.cloudwatch.CloudWatchAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;
import software.amazon.kinesis.common.ConfigsBuilder;
import software.amazon.kinesis.common.InitialPositionInStream;
import software.amazon.kinesis.common.InitialPositionInStreamExtended;
import software.amazon.kinesis.exceptions.InvalidStateException;
import software.amazon.kinesis.exceptions.ShutdownException;
import software.amazon.kinesis.lifecycle.events.InitializationInput;
import software.amazon.kinesis.lifecycle.events.LeaseLostInput;
import software.amazon.kinesis.lifecycle.events.ShardEndedInput;
import software.amazon.kinesis.lifecycle.events.ShutdownRequestedInput;
import software.amazon.kinesis.metrics.NullMetricsFactory;
import software.amazon.kinesis.processor.RecordProcessorCheckpointer;

/**
 * Prints the records of a stream with the Kinesis Client Library and DynamoDB's adapter, a line of JSON each, until its input ends. Its leases are
 * in the same server. Usage: Reader ARN
 */
public final class Reader {
    private static final RecordObjectMapper JSON = new RecordObjectMapper();

    /** Printer prints the records of a shard, and has its place written after each page. */
    private static final class Printer implements DynamoDBStreamsShardRecordProcessor {
        @Override public void initialize(InitializationInput in) { }

        @Override public void processRecords(DynamoDBStreamsProcessRecordsInput in) {
            for (var record : in.records()) {
                var change = record.getRecord().dynamodb();
                ObjectNode whole = JSON.valueToTree(record.getRecord());
                var shown = (ObjectNode) whole.get("dynamodb");
                if (!change.hasOldImage()) shown.remove("OldImage"); // which the mapper shows as {}
                if (!change.hasNewImage()) shown.remove("NewImage");
                print(whole.toString());
            }
            checkpoint(in.checkpointer());
        }

        @Override public void leaseLost(LeaseLostInput in) { }

        @Override public void shardEnded(ShardEndedInput in) { checkpoint(in.checkpointer()); }

        @Override public void shutdownRequested(ShutdownRequestedInput in) { checkpoint(in.checkpointer()); }

        private static void checkpoint(RecordProcessorCheckpointer checkpointer) {
            try {
                checkpointer.checkpoint();
            } catch (ShutdownException e) {
                // Another worker has the lease.
            } catch (InvalidStateException e) {
                throw new IllegalStateException(e);
            }
        }

        private static synchronized void print(String line) {
            System.out.println(line);
            System.out.flush();
        }
    }

    public static void main(String[] arguments) throws Exception {
        var endpoint = URI.create(System.getenv("DYNAMODB_ENDPOINT"));
        var region = Region.US_EAST_1;
        var dynamodb = DynamoDbAsyncClient.builder().endpointOverride(endpoint).region(region).build();
        var streams = new AmazonDynamoDBStreamsAdapterClient(DynamoDbStreamsClient.builder().endpointOverride(endpoint).region(region).build(), region);
        // No metrics are sent: there is no CloudWatch at this address.
        var cloudWatch = CloudWatchAsyncClient.builder().endpointOverride(URI.create("http://127.0.0.1:9")).region(region).build();

        var begin = InitialPositionInStreamExtended.newInitialPosition(InitialPositionInStream.TRIM_HORIZON);
        var tracker = StreamsSchedulerFactory.createSingleStreamTracker(arguments[0], begin);
        var configs = new ConfigsBuilder(tracker, "parcels-reader", streams, dynamodb, cloudWatch, "worker", Printer::new);
        var scheduler = StreamsSchedulerFactory.createScheduler(
            configs.checkpointConfig(),
            configs.coordinatorConfig().parentShardPollIntervalMillis(200).shardConsumerDispatchPollIntervalMillis(100),
            configs.leaseManagementConfig().billingMode(BillingMode.PAY_PER_REQUEST).shardSyncIntervalMillis(500).failoverTimeMillis(3000).leaseAssignmentIntervalMillis(1000L),
            configs.lifecycleConfig(),
            configs.metricsConfig().metricsFactory(new NullMetricsFactory()),
            configs.processorConfig(),
            configs.retrievalConfig().retrievalSpecificConfig(new DynamoDBStreamsPollingConfig(arguments[0], streams).idleTimeBetweenReadsInMillis(100)),
            streams);
        var worker = new Thread(scheduler);
        worker.start();
        while (System.in.read() >= 0) { }
        try {
            scheduler.startGracefulShutdown().get(5, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            // It has not ended so far when a shard began while this read: the log then has two consumers of that shard. Why is not known.
            // This way, it ends when leases have run out.
            scheduler.shutdown();
        }
        worker.join(TimeUnit.SECONDS.toMillis(30));
        System.exit(worker.isAlive() ? 1 : 0);
    }
}
