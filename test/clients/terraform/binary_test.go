// SPDX-License-Identifier: Apache-2.0

package terraform

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/test/harness"
)

// file is a table as its documentation begins, with most of what one can ask for.
const file = `
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
variable "endpoint" {}
variable "team" {}
provider "aws" {
  region                      = "us-east-1"
  access_key                  = "test"
  secret_key                  = "test"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
  endpoints { dynamodb = var.endpoint }
}
resource "aws_dynamodb_table" "orders" {
  name         = "orders"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "customer"
  range_key    = "placed"
  attribute {
    name = "customer"
    type = "S"
  }
  attribute {
    name = "placed"
    type = "S"
  }
  attribute {
    name = "stage"
    type = "S"
  }
  global_secondary_index {
    name            = "by-stage"
    hash_key        = "stage"
    range_key       = "placed"
    projection_type = "ALL"
  }
  ttl {
    attribute_name = "until"
    enabled        = true
  }
  tags = { team = var.team }
}
`

// TestBinary runs Terraform itself where it and its provider can be had: apply, plan without a difference, change,
// destroy.
func TestBinary(t *testing.T) {
	if os.Getenv("WEFT_TEST_CLIENTS") != "1" {
		t.Skip("runs under `make test-clients`, which sets WEFT_TEST_CLIENTS=1")
	}
	tool, err := exec.LookPath("terraform")
	if err != nil {
		t.Skip("there is no terraform; TestTable replays its calls")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		command := exec.CommandContext(ctx, tool, append([]string{"-chdir=" + dir}, args...)...)
		command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
			"TF_PLUGIN_CACHE_DIR=" + os.Getenv("TF_PLUGIN_CACHE_DIR")}
		output, err := command.CombinedOutput()
		return string(output), err
	}
	if output, err := run("init", "-no-color", "-input=false"); err != nil {
		if strings.Contains(output, "Failed to query available provider packages") ||
			strings.Contains(output, "Failed to install provider") {
			t.Skip("terraform is here, but its registry can't be reached for the provider hashicorp/aws; TestTable replays its calls")
		}
		t.Fatal(output)
	}
	binary := harness.Build(t)
	endpoint := "-var=endpoint=http://" + harness.Start(t, binary, harness.Options{}).Addr()
	for _, step := range [][]string{
		{"apply", "-auto-approve", "-var=team=shop"}, {"plan", "-detailed-exitcode", "-var=team=shop"},
		{"apply", "-auto-approve", "-var=team=stall"}, {"plan", "-detailed-exitcode", "-var=team=stall"},
		{"destroy", "-auto-approve", "-var=team=stall"},
	} {
		if output, err := run(append(step, "-no-color", "-input=false", endpoint)...); err != nil {
			t.Fatalf("terraform %s: %v\n%s", strings.Join(step, " "), err, output)
		}
	}
}
