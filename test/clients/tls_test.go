// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/test/harness"
)

// secured is a server with TLS and --auth required, its authority, and what ann signs in with. Her password is secret,
// and the table fruit has an apple.
type secured struct {
	server     *harness.Server
	folder     string // of the certificates
	id, secret string
}

// secure starts a server with the certificates of weft cert dev.
func secure(t *testing.T) secured {
	t.Helper()
	s, data := secured{folder: filepath.Join(t.TempDir(), "certs")}, t.TempDir()
	master := filepath.Join(t.TempDir(), "master.key")
	if err := os.WriteFile(master, []byte(strings.Repeat("ab", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	weft := func(input string, args ...string) string {
		command := harness.Command(t.Context(), binary, args...)
		command.Env = append(harness.Environ(), "WEFT_MASTER_KEY_FILE="+master)
		command.Stdin = strings.NewReader(input)
		output, err := command.Output()
		if err != nil {
			t.Fatalf("weft %s: %v", args, err)
		}
		return string(output)
	}
	weft("", "cert", "dev", "--out", s.folder)
	stop(t, harness.Start(t, binary, harness.Options{Data: data})) // which makes the database
	weft("secret\n", "user", "add", "ann", "--data", data, "--password-stdin")
	for line := range strings.Lines(weft("", "user", "key", "create", "ann", "--data", data)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		*map[string]*string{"AWS_ACCESS_KEY_ID": &s.id, "AWS_SECRET_ACCESS_KEY": &s.secret}[name] = value
	}
	s.server = harness.Start(t, binary, harness.Options{Data: data, Args: []string{
		"--auth", "required", "--master-key-file", master, "--tls-cert", s.file("server.pem"), "--tls-key",
		s.file("server-key.pem"),
	}})
	t.Cleanup(func() { stop(t, s.server) })
	return s
}

func (s secured) file(name string) string { return filepath.Join(s.folder, name) }

// trusting is how programs in Go trust the server's authority; nothing, if trusts is false.
func (s secured) trusting(t *testing.T, trusts bool) *tls.Config {
	t.Helper()
	pool := x509.NewCertPool()
	authority, err := os.ReadFile(s.file("ca.pem"))
	if err != nil || trusts && !pool.AppendCertsFromPEM(authority) {
		t.Fatal("the authority can't be read: ", err)
	}
	return &tls.Config{RootCAs: pool}
}

func (s secured) goSDK(t *testing.T, trusts bool) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("https://" + s.server.Addr()), Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider(s.id, s.secret, ""), Retryer: aws.NopRetryer{},
		HTTPClient: &http.Client{Transport: &http.Transport{TLSClientConfig: s.trusting(t, trusts)}},
	})
}

// fill makes the table, with the SDK for Go.
func (s secured) fill(t *testing.T) {
	t.Helper()
	client := s.goSDK(t, true)
	harness.CreateTable(t, client, &dynamodb.CreateTableInput{
		TableName: aws.String("fruit"), BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"),
			AttributeType: types.ScalarAttributeTypeN}},
	})
	if _, err := client.PutItem(t.Context(),
		&dynamodb.PutItemInput{TableName: aws.String("fruit"), Item: map[string]types.AttributeValue{
			"id": &types.AttributeValueMemberN{Value: "1"}, "name": &types.AttributeValueMemberS{Value: "apple"},
		}}); err != nil {
		t.Fatal(err)
	}
}

// TestTLS lets each client read a row over TLS at a server that asks for signatures and passwords. Each verifies the
// server's certificate: without the authority, none of them reads anything.
func TestTLS(t *testing.T) {
	skipUnlessWanted(t)
	s := secure(t)
	s.fill(t)
	t.Run("gosdk", func(t *testing.T) {
		get := &dynamodb.GetItemInput{TableName: aws.String("fruit"),
			Key: map[string]types.AttributeValue{"id": &types.AttributeValueMemberN{Value: "1"}}}
		if _, err := s.goSDK(t, false).GetItem(t.Context(), get); err == nil ||
			!strings.Contains(err.Error(), "certificate") {
			t.Errorf("without the authority: %v", err)
		}
		found, err := s.goSDK(t, true).GetItem(t.Context(), get)
		if err != nil || found.Item["name"].(*types.AttributeValueMemberS).Value != "apple" {
			t.Errorf("%v, %v", found, err)
		}
	})
	t.Run("go-sql-driver", func(t *testing.T) {
		for _, trusts := range []bool{false, true} {
			name, err := s.goSQL(t, trusts)
			if (err == nil && name == "apple") != trusts {
				t.Errorf("with the authority: %v; %q, %v", trusts, name, err)
			}
		}
	})
	for name, made := range map[string]func(t *testing.T) (own program, trust []string){
		"awscli": s.awsCLI, "boto3": s.boto3, "javascript": s.javaScript, "mariadb": s.mariadb,
		"connector-j": s.connectorJ,
	} {
		t.Run(name, func(t *testing.T) {
			p, trust := made(t)
			t.Log(p.title)
			if said, err := s.run(t, p, trust); err != nil || strings.TrimSpace(said) != "apple" {
				t.Errorf("%v: %s", err, said)
			}
			if said, err := s.run(t, p, nil); err == nil || strings.Contains(said, "apple") {
				t.Errorf("without the authority: %s", said)
			}
		})
	}
}

// run runs a client, to which trust is told as variables (NAME=value) or arguments.
func (s secured) run(t *testing.T, p program, trust []string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), sectionTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	command.Env = append(append(p.variables(t, s.server), "DYNAMODB_ENDPOINT=https://"+s.server.Addr(),
		"AWS_ACCESS_KEY_ID="+s.id, "AWS_SECRET_ACCESS_KEY="+s.secret), p.environ...)
	for _, one := range trust {
		switch {
		case strings.HasPrefix(one, "-D"): // java wants them before the class
			command.Args = slices.Insert(command.Args, 1, one)
		case strings.HasPrefix(one, "-"):
			command.Args = append(command.Args, one)
		default:
			command.Env = append(command.Env, one)
		}
	}
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err := command.Run()
	return output.String(), err
}

// goSQL reads the row with go-sql-driver.
func (s secured) goSQL(t *testing.T, trusts bool) (name string, err error) {
	t.Helper()
	config := mysql.NewConfig()
	config.User, config.Passwd, config.Net, config.Addr = "ann", "secret", "tcp", s.server.SQL()
	if config.TLS = s.trusting(t, trusts); config.TLS != nil {
		config.TLS.ServerName = "127.0.0.1"
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return "", err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	return name, db.QueryRowContext(t.Context(), "SELECT name FROM fruit WHERE id = 1").Scan(&name)
}

func (s secured) awsCLI(t *testing.T) (program, []string) {
	for _, tool := range []string{"/usr/bin/aws", "aws", ".venv/bin/aws"} {
		if version, ok := ask(tool, "--version"); ok {
			return program{title: version,
					command: []string{tool, "--endpoint-url", "https://" + s.server.Addr(), "dynamodb", "get-item",
						"--table-name", "fruit", "--key", `{"id":{"N":"1"}}`,
						"--query", "Item.name.S", "--output", "text"}, environ: []string{"AWS_MAX_ATTEMPTS=1"}},
				[]string{"AWS_CA_BUNDLE=" + s.file("ca.pem")}
		}
	}
	t.Skip("there is no `aws`: install the package awscli")
	return program{}, nil
}

func (s secured) boto3(t *testing.T) (program, []string) {
	for _, python := range []string{"/usr/bin/python3", "python3", ".venv/bin/python3"} {
		if version, ok := ask(python, "-c", "import boto3; print(boto3.__version__)"); ok {
			return program{title: "boto3 " + version, command: []string{python, "tls_client.py"}},
				[]string{"AWS_CA_BUNDLE=" + s.file("ca.pem")}
		}
	}
	t.Skip("no python3 here has boto3: install the package python3-boto3")
	return program{}, nil
}

func (s secured) javaScript(t *testing.T) (program, []string) {
	return script(t, "tls.mjs", "@aws-sdk/client-dynamodb", ""), []string{"NODE_EXTRA_CA_CERTS=" + s.file("ca.pem")}
}

func (s secured) mariadb(t *testing.T) (program, []string) {
	p := mariadb(t)
	host, port, _ := strings.Cut(s.server.SQL(), ":")
	_, client, _ := strings.Cut(p.environ[0], "=")
	_, plugins, _ := strings.Cut(p.environ[2], "=")
	p.command = []string{client, "--no-defaults", "--host=" + host, "--port=" + port, "--user=ann", "--password=secret",
		"--ssl-verify-server-cert", "-N", "-B", "-e", "SELECT name FROM fruit WHERE id = 1"}
	if plugins != "" {
		p.command = append(p.command, "--plugin-dir="+plugins)
	}
	return p, []string{"--ssl-ca=" + s.file("ca.pem")}
}

func (s secured) connectorJ(t *testing.T) (program, []string) {
	p := mysqlJDBC(t)
	classes, store := t.TempDir(), filepath.Join(t.TempDir(), "trust.p12")
	if output, ok := ask("javac", "-d", classes, "TLS.java"); !ok {
		t.Fatal(output)
	}
	if output, ok := ask("keytool", "-importcert", "-noprompt", "-file", s.file("ca.pem"), "-keystore", store,
		"-storepass", "changeit"); !ok {
		t.Fatal(output)
	}
	_, jar, _ := strings.Cut(p.command[2], string(os.PathListSeparator))
	p.command = []string{"java", "-cp", classes + string(os.PathListSeparator) + jar, "TLS",
		"jdbc:mysql://" + s.server.SQL() + "/?sslMode=VERIFY_IDENTITY", "ann", "secret"}
	return p, []string{"-Djavax.net.ssl.trustStore=" + store, "-Djavax.net.ssl.trustStorePassword=changeit"}
}
