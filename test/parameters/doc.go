// SPDX-License-Identifier: Apache-2.0

// Package parameters proves, for every parameter of every operation of DynamoDB's API, what becomes of it: it is
// honoured, only stored, or refused. The parameters come from the AWS SDK's input structs, so that a new release of
// the SDK shows what is missing here. The table in docs/dynamodb.md is made of the cases.
//
// testdata/cases has a file for each operation that the server knows. Its blocks are
//
//	base                     sets the request on which the cases behind it build, and shows its answer
//	<state> <parameter>      a case: runs the base and the request that has the parameter, each on a database of its own, and shows
//	                         what the parameter changes
//
// A parameter is written with the parameters that hold it, without the indexes of lists and the keys of maps:
// TransactItems.Put.Item. A parameter of which some are held by others may be refused as a whole. The states are
//
//	honoured                 an answer differs, and not merely in how tables and their settings are described
//	stored                   descriptions differ, and nothing else does, nor do the answers to the file's probes
//	refused                  the answer is a ValidationException that says that this server has no such thing
//	needless                 nothing differs, for there is nothing here that it could act on
//
// The lines of a block are steps; a line that begins with a blank goes on with the one before. The body of a request is
// one JSON object.
//
//	base BODY                changes the base of this case; a member that is null is taken away
//	with BODY                what the request with the parameter has beside the base
//	setup OPERATION BODY     runs before the request, after testdata/standard
//	then OPERATION BODY      runs after it; its answers are compared, too
//	probe OPERATION BODY     in a base: runs after the cases of stored parameters
//
// In the place of an operation, `wait` waits until no index is being built or removed and no task is left, and `expire`
// deletes what has expired, `object` stores the Text of its body in a Bucket under a Name, and `objects` shows the
// names of all objects, and the texts of those with data.
//
// $BackupArn, $ExportArn, $ImportArn, $BulkOperationArn, $LatestStreamArn, $ShardId, $ShardIterator and $SequenceNumber
// in a body stand for the one that an answer has shown last.
//
// Knows: the SDK's structs, package dynamodb.
// Never: HTTP, what the answers mean.
package parameters

//go:generate go test -count=1 -run TestDocument . -rewrite
