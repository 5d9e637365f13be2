#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A shop's orders, with the AWS CLI. Usage: awscli.sh section. The files of testdata/awscli say what each section prints.
# AWS names the program, DYNAMODB_ENDPOINT the server.

set -u

db() { "$AWS" --endpoint-url "$DYNAMODB_ENDPOINT" dynamodb "$@"; }

# json prints an answer as one line with its keys in order, whichever version of the CLI wrote it.
json() { python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin), sort_keys=True))'; }

# refused runs a command that must fail, and prints what the CLI says about it.
refused() {
  local text
  if text=$(db "$@" 2>&1); then
    echo "NOT REFUSED: $text"
  else
    echo "refused: $(tr -s '\n' ' ' <<<"$text" | sed -e 's/^ *\(aws: \[ERROR\]: \)\{0,1\}//' -e 's/ $//')"
  fi
}

orders() {
  db create-table --table-name orders \
    --attribute-definitions AttributeName=customer,AttributeType=S AttributeName=placed,AttributeType=S AttributeName=stage,AttributeType=S \
    --key-schema AttributeName=customer,KeyType=HASH AttributeName=placed,KeyType=RANGE \
    --global-secondary-indexes 'IndexName=by-stage,KeySchema=[{AttributeName=stage,KeyType=HASH},{AttributeName=placed,KeyType=RANGE}],Projection={ProjectionType=ALL}' \
    --billing-mode PAY_PER_REQUEST --query 'TableDescription.[TableName, TableStatus]' --output text
  db wait table-exists --table-name orders
}

fill() {
  local i puts=
  for i in 1 2 3 4 5 6 7 8 9; do
    puts+="${puts:+,}{\"PutRequest\":{\"Item\":{\"customer\":{\"S\":\"c$((i % 2))\"},\"placed\":{\"S\":\"2026-0$i-15\"},\"stage\":{\"S\":\"s$((i % 3))\"},\"cents\":{\"N\":\"${i}00\"}}}}"
  done
  db batch-write-item --request-items "{\"orders\":[$puts]}" --query UnprocessedItems --output json
}

# unknown stands in for a command that this version of the CLI does not have.
unknown() {
  case $? in 2 | 252) echo "$1" ;; *) echo "FAILED" ;; esac
}

tables() {
  orders
  db describe-table --table-name orders --output json --query 'Table.{keys: KeySchema, billing: BillingModeSummary.BillingMode, items: ItemCount, index: GlobalSecondaryIndexes[0].[IndexName, IndexStatus, Projection.ProjectionType]}' | json
  db list-tables --output text
  db list-tables --output json | json
  refused create-table --table-name orders --attribute-definitions AttributeName=id,AttributeType=S --key-schema AttributeName=id,KeyType=HASH --billing-mode PAY_PER_REQUEST
  refused describe-table --table-name order
  db update-table --table-name orders --deletion-protection-enabled --query TableDescription.DeletionProtectionEnabled 2>/dev/null || unknown true
  db update-table --table-name orders --no-deletion-protection-enabled --query TableDescription.DeletionProtectionEnabled 2>/dev/null || unknown false
  for i in 1 2 3 4; do
    db create-table --table-name "more-$i" --attribute-definitions AttributeName=id,AttributeType=B --key-schema AttributeName=id,KeyType=HASH --provisioned-throughput ReadCapacityUnits=2,WriteCapacityUnits=1 \
      --query 'TableDescription.ProvisionedThroughput.[ReadCapacityUnits, WriteCapacityUnits]' --output text
  done
  db list-tables --page-size 2 --query TableNames --output json | json
  db list-tables --max-items 3 --query TableNames --output json | json
  db delete-table --table-name orders --query TableDescription.TableStatus --output text
  db wait table-not-exists --table-name orders && echo gone
}

items() {
  orders
  local key='{"customer":{"S":"ana"},"placed":{"S":"2026-01-05"}}'
  db put-item --table-name orders --item '{"customer":{"S":"ana"},"placed":{"S":"2026-01-05"},"stage":{"S":"open"},"cents":{"N":"1250.50"},"paid":{"BOOL":false},"lines":{"L":[{"M":{"sku":{"S":"tea"},"n":{"N":"2"}}},{"NULL":true}]},"tags":{"SS":["gift"]}}' --return-consumed-capacity INDEXES --output json | json
  db get-item --table-name orders --key "$key" --consistent-read --return-consumed-capacity TOTAL --output json | json
  db get-item --table-name orders --key "$key" --projection-expression 'cents, #l[0].sku' --expression-attribute-names '{"#l":"lines"}' --output table
  db get-item --table-name orders --key "$key" --projection-expression 'cents, stage' --output text
  db update-item --table-name orders --key "$key" --update-expression 'SET stage = :s, cents = cents + :c ADD tags :t' --condition-expression 'stage = :o' \
    --expression-attribute-values '{":s":{"S":"sent"},":o":{"S":"open"},":c":{"N":"0.5"},":t":{"SS":["fast"]}}' --return-values UPDATED_NEW --output json | json
  refused update-item --table-name orders --key "$key" --update-expression 'SET stage = :s' --condition-expression 'stage = :o' --expression-attribute-values '{":s":{"S":"sent"},":o":{"S":"open"}}'
  refused put-item --table-name orders --item '{"customer":{"S":"ana"}}'
  refused put-item --table-name orders --item '{"customer":{"S":"ana"},"placed":{"N":"5"}}'
  refused get-item --table-name order --key "$key"
  refused update-item --table-name orders --key "$key" --update-expression 'SET stage ='
  db delete-item --table-name orders --key "$key" --return-values ALL_OLD --query Attributes.stage.S --output text
  db get-item --table-name orders --key "$key" --output json
}

query() {
  orders
  fill
  db query --table-name orders --key-condition-expression 'customer = :c AND begins_with(placed, :p)' --expression-attribute-values '{":c":{"S":"c1"},":p":{"S":"2026-0"}}' --query '[Count, ScannedCount, Items[].placed.S]' --output json | json
  db query --table-name orders --key-condition-expression 'customer = :c AND placed BETWEEN :a AND :b' --expression-attribute-values '{":c":{"S":"c0"},":a":{"S":"2026-03"},":b":{"S":"2026-07"}}' --no-scan-index-forward --query 'Items[].placed.S' --output text
  db query --table-name orders --index-name by-stage --key-condition-expression 'stage = :s' --filter-expression 'cents > :n' --expression-attribute-values '{":s":{"S":"s1"},":n":{"N":"150"}}' --query '[Count, ScannedCount, Items[].[placed.S, cents.N]]' --output json | json
  db query --table-name orders --key-condition-expression 'customer = :c' --expression-attribute-values '{":c":{"S":"c1"}}' --page-size 2 --query 'length(Items)' --output json | json
  local page
  page=$(db query --table-name orders --key-condition-expression 'customer = :c' --expression-attribute-values '{":c":{"S":"c1"}}' --max-items 3 --output json)
  python3 -c 'import json, sys; p = json.load(sys.stdin); print([i["placed"]["S"] for i in p["Items"]], "NextToken" in p)' <<<"$page"
  db query --table-name orders --key-condition-expression 'customer = :c' --expression-attribute-values '{":c":{"S":"c1"}}' --starting-token "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["NextToken"])' <<<"$page")" --query 'Items[].placed.S' --output text
  db scan --table-name orders --filter-expression 'contains(stage, :x)' --expression-attribute-values '{":x":{"S":"2"}}' --query 'sort_by(Items, &placed.S)[].[customer.S, placed.S, cents.N]' --output table
  db scan --table-name orders --select COUNT --output json | json
  { db scan --table-name orders --total-segments 2 --segment 0 --query 'Items[].placed.S' --output json; db scan --table-name orders --total-segments 2 --segment 1 --query 'Items[].placed.S' --output json; } | python3 -c 'import sys; print(sys.stdin.read().count("2026"))'
  db batch-get-item --request-items '{"orders":{"Keys":[{"customer":{"S":"c1"},"placed":{"S":"2026-01-15"}},{"customer":{"S":"c1"},"placed":{"S":"2026-01-16"}}],"ProjectionExpression":"cents"}}' --output json | json
  refused query --table-name orders --key-condition-expression 'placed = :p' --expression-attribute-values '{":p":{"S":"2026"}}'
  refused query --table-name orders --index-name by-stage --consistent-read --key-condition-expression 'stage = :p' --expression-attribute-values '{":p":{"S":"2026"}}'
}

# Binaries: base64 as it is on the wire, and plain bytes.
binary() {
  db create-table --table-name files --attribute-definitions AttributeName=id,AttributeType=B --key-schema AttributeName=id,KeyType=HASH --billing-mode PAY_PER_REQUEST --query TableDescription.TableName --output text
  db wait table-exists --table-name files
  db put-item --cli-binary-format base64 --table-name files --item '{"id":{"B":"AAH/"},"parts":{"BS":["aGVsbG8=","d29ybGQ="]}}'
  db get-item --cli-binary-format base64 --table-name files --key '{"id":{"B":"AAH/"}}' --output json | python3 -c 'import json, sys; i = json.load(sys.stdin)["Item"]; print(i["id"]["B"], sorted(i["parts"]["BS"]))'
  db put-item --cli-binary-format raw-in-base64-out --table-name files --item '{"id":{"B":"hello"},"size":{"N":"5"}}'
  db get-item --cli-binary-format base64 --table-name files --key '{"id":{"B":"aGVsbG8="}}' --output json | json
}

transactions() {
  orders
  db transact-write-items --transact-items '[
    {"Put":{"TableName":"orders","Item":{"customer":{"S":"ana"},"placed":{"S":"1"},"cents":{"N":"5"}},"ConditionExpression":"attribute_not_exists(customer)"}},
    {"Update":{"TableName":"orders","Key":{"customer":{"S":"ana"},"placed":{"S":"sum"}},"UpdateExpression":"ADD cents :n","ExpressionAttributeValues":{":n":{"N":"5"}}}}]' --return-consumed-capacity TOTAL --output json | json
  refused transact-write-items --transact-items '[
    {"Put":{"TableName":"orders","Item":{"customer":{"S":"ana"},"placed":{"S":"1"}},"ConditionExpression":"attribute_not_exists(customer)"}},
    {"Update":{"TableName":"orders","Key":{"customer":{"S":"ana"},"placed":{"S":"sum"}},"UpdateExpression":"ADD cents :n","ExpressionAttributeValues":{":n":{"N":"5"}}}}]'
  db transact-get-items --transact-items '[{"Get":{"TableName":"orders","Key":{"customer":{"S":"ana"},"placed":{"S":"sum"}},"ProjectionExpression":"cents"}},{"Get":{"TableName":"orders","Key":{"customer":{"S":"ana"},"placed":{"S":"2"}}}}]' --output json | json
}

expiry() {
  orders
  db describe-time-to-live --table-name orders --output json | json
  db update-time-to-live --table-name orders --time-to-live-specification 'Enabled=true, AttributeName=until' --output json | json
  db describe-time-to-live --table-name orders --query TimeToLiveDescription.AttributeName --output text
  refused update-time-to-live --table-name orders --time-to-live-specification 'Enabled=true, AttributeName=until'
}

tags() {
  db create-table --table-name orders --attribute-definitions AttributeName=id,AttributeType=S --key-schema AttributeName=id,KeyType=HASH --billing-mode PAY_PER_REQUEST --tags Key=team,Value=shop Key=cost,Value=17 --query TableDescription.TableName --output text
  db wait table-exists --table-name orders
  local arn
  arn=$(db describe-table --table-name orders --query Table.TableArn --output text)
  db tag-resource --resource-arn "$arn" --tags Key=team,Value=stall Key=stage,Value=live
  db untag-resource --resource-arn "$arn" --tag-keys cost
  db list-tags-of-resource --resource-arn "$arn" --query 'sort_by(Tags, &Key)' --output json | json
}

# What scripts ask before they begin.
account() {
  db describe-limits --output json | json
  db describe-endpoints --query 'Endpoints[].CachePeriodInMinutes' --output text
}

backups() {
  orders
  db describe-continuous-backups --table-name orders --query 'ContinuousBackupsDescription.[ContinuousBackupsStatus, PointInTimeRecoveryDescription.PointInTimeRecoveryStatus]' --output text
  db update-continuous-backups --table-name orders --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true --query "ContinuousBackupsDescription.[ContinuousBackupsStatus, PointInTimeRecoveryDescription.PointInTimeRecoveryStatus]" --output text
  db update-continuous-backups --table-name orders --point-in-time-recovery-specification PointInTimeRecoveryEnabled=false --query 'ContinuousBackupsDescription.[ContinuousBackupsStatus, PointInTimeRecoveryDescription.PointInTimeRecoveryStatus]' --output text
}

# await describes an export or import until it is over. Usage: await COMMAND OPTION ARN FIELD.
await() {
  local status=IN_PROGRESS
  while [ "$status" = IN_PROGRESS ]; do
    status=$(db "$1" "$2" "$3" --query "*.$4 | [0]" --output text) || return
  done
  echo "$status"
}

exchange() {
  orders
  fill
  local table export import folder
  table=$(db describe-table --table-name orders --query Table.TableArn --output text)
  refused export-table-to-point-in-time --table-arn "$table" --s3-bucket lake
  db update-continuous-backups --table-name orders --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true >/dev/null
  export=$(db export-table-to-point-in-time --table-arn "$table" --s3-bucket lake --s3-prefix out --query ExportDescription.ExportArn --output text)
  await describe-export --export-arn "$export" ExportStatus
  db describe-export --export-arn "$export" --query 'ExportDescription.[ItemCount, ExportFormat, S3Prefix]' --output text
  db list-exports --table-arn "$table" --query 'ExportSummaries[].ExportStatus' --output text
  folder=out/AWSDynamoDB/${export##*/}/data/
  import=$(db import-table --s3-bucket-source "S3Bucket=lake,S3KeyPrefix=$folder" --input-format DYNAMODB_JSON --input-compression-type GZIP \
    --table-creation-parameters 'TableName=again,KeySchema=[{AttributeName=customer,KeyType=HASH},{AttributeName=placed,KeyType=RANGE}],AttributeDefinitions=[{AttributeName=customer,AttributeType=S},{AttributeName=placed,AttributeType=S}],BillingMode=PAY_PER_REQUEST' \
    --query ImportTableDescription.ImportArn --output text)
  await describe-import --import-arn "$import" ImportStatus
  db describe-import --import-arn "$import" --query 'ImportTableDescription.[ImportedItemCount, ProcessedItemCount, ErrorCount]' --output text
  db list-imports --query 'ImportSummaryList[].ImportStatus' --output text
  db wait table-exists --table-name again
  db scan --table-name again --query 'Items[].[customer.S, placed.S, cents.N]' --output text
  refused describe-export --export-arn "$table/export/01700000000000-00000000"
}

partiql() {
  orders
  fill
  db execute-statement --statement "SELECT placed, cents FROM orders WHERE customer = 'c1' AND placed > '2026-03'" --output json | json
  db execute-statement --statement 'SELECT * FROM "orders"."by-stage" WHERE stage = ? ORDER BY placed DESC' --parameters '[{"S":"s1"}]' --query 'Items[].placed.S' --output text
  db execute-statement --statement "UPDATE orders SET cents = cents + 50 WHERE customer = 'c1' AND placed = '2026-01-15' RETURNING ALL NEW *" --output json | json
  db execute-statement --statement "INSERT INTO orders VALUE {'customer': 'c9', 'placed': '2026-12-24', 'gifts': [1, {'big': true}]}" --query 'Items' --output json | json
  refused execute-statement --statement "INSERT INTO orders VALUE {'customer': 'c9', 'placed': '2026-12-24'}"
  refused execute-statement --statement "SELECT * FROM orders WHERE customer = "
  db batch-execute-statement --statements '[{"Statement":"DELETE FROM orders WHERE customer = '"'c9'"' AND placed = ?","Parameters":[{"S":"2026-12-24"}]},{"Statement":"DELETE FROM orders"}]' --output json | json
  db execute-transaction --transact-statements '[{"Statement":"SELECT cents FROM orders WHERE customer = '"'c1'"' AND placed = '"'2026-01-15'"'"}]' --output json | json
}

"$1"
