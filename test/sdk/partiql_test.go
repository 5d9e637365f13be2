// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestPartiQL writes with statements and reads page by page, with a client that knows the exceptions.
func TestPartiQL(t *testing.T) {
	create(t, table("statements", "pk:S", "sk:N"))
	execute := func(text string, parameters ...types.AttributeValue) (*dynamodb.ExecuteStatementOutput, error) {
		return client.ExecuteStatement(t.Context(),
			&dynamodb.ExecuteStatementInput{Statement: &text, Parameters: parameters})
	}
	for i := range 5 {
		if _, err := execute("INSERT INTO statements VALUE {'pk': ?, 'sk': ?}", s("a"), n(i)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := execute("INSERT INTO statements VALUE {'pk': 'a', 'sk': 1}")
	if _, duplicate := errors.AsType[*types.DuplicateItemException](err); !duplicate {
		t.Errorf("a second INSERT: %v", err)
	}
	_, err = execute("UPDATE statements SET x = 1 WHERE pk = 'z' AND sk = 1")
	if _, failed := errors.AsType[*types.ConditionalCheckFailedException](err); !failed {
		t.Errorf("an UPDATE of nothing: %v", err)
	}
	var found []string
	request := &dynamodb.ExecuteStatementInput{
		Statement: aws.String("SELECT sk FROM statements WHERE pk = 'a' AND sk <> 2 ORDER BY sk DESC"),
		Limit:     aws.Int32(2)}
	for {
		page, err := client.ExecuteStatement(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, texts(page.Items, "sk")...)
		if request.NextToken = page.NextToken; request.NextToken == nil {
			break
		}
	}
	if !slices.Equal(found, []string{"4", "3", "1", "0"}) {
		t.Errorf("found %v", found)
	}
}
