// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
)

// masterKeyVariable holds the master key itself, where a file is not wanted. It is no setting: --print-config never
// shows it.
const masterKeyVariable = envPrefix + "MASTER_KEY"

// accountsOf returns the users of a database, with the master key that the configuration names.
func (c *config) accountsOf(db *database.DB) (*database.Accounts, error) {
	text := c.masterKey
	if c.MasterKeyFile != "" {
		content, err := os.ReadFile(c.MasterKeyFile)
		if err != nil {
			return nil, fmt.Errorf("master-key-file: %w", err)
		}
		text = string(content)
	}
	if text == "" {
		return db.Accounts(), nil
	}
	master, err := account.ParseMaster(text)
	if err != nil {
		return nil, err
	}
	return db.Accounts().WithMaster(master), nil
}

// accessKeyCommands are `weft user key ...`.
func (p *program) accessKeyCommands(f *userFlags) *cobra.Command {
	command := &cobra.Command{
		Use:   "key",
		Short: "Manage the access keys that sign DynamoDB requests",
		Long: `Create, list, disable and drop access keys. An access key signs requests of DynamoDB's API for a user, as AWS's SDKs and command line do.
The secret is shown once, when the key is created. The server stores it encrypted under its master key (--master-key-file or WEFT_MASTER_KEY).`,
		Args: commandline.UnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	p.addUserCommands(command, f, []userSubcommand{
		{"create USER", "Create an access key and show its secret", cobra.ExactArgs(1)},
		{"list [USER]", "List the access keys of a user, or of all users", cobra.MaximumNArgs(1)},
		{"disable ID", "Stop a key from signing", cobra.ExactArgs(1)},
		{"enable ID", "Let a disabled key sign again", cobra.ExactArgs(1)},
		{"drop ID", "Remove a key", cobra.ExactArgs(1)},
	})
	return command
}

// userSubcommand is a command below `weft user key` or `weft user token`.
type userSubcommand struct {
	use, short string
	args       cobra.PositionalArgs
}

func (p *program) addUserCommands(command *cobra.Command, f *userFlags, all []userSubcommand) {
	for _, sub := range all {
		command.AddCommand(&cobra.Command{Use: sub.use, Short: sub.short, Args: sub.args,
			RunE: func(c *cobra.Command, args []string) error {
				return p.user(c.Context(),
					userRequest{Do: command.Name() + " " + c.Name(), Name: strings.Join(args, "")},
					f)
			}})
	}
}

// tokenCommands are `weft user token ...`.
func (p *program) tokenCommands(f *userFlags) *cobra.Command {
	command := &cobra.Command{
		Use:   "token",
		Short: "Manage the tokens that the admin port asks for",
		Long: `Create, list and drop tokens. A token lets a user in at the admin port, whose changes and profiles are for administrators. It is shown
once, when it is created; the server stores its hash. Commands of weft read it from WEFT_ADMIN_TOKEN.`,
		Args: commandline.UnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	p.addUserCommands(command, f, []userSubcommand{
		{"create USER", "Create a token and show it", cobra.ExactArgs(1)},
		{"list [USER]", "List the tokens of a user, or of all users", cobra.MaximumNArgs(1)},
		{"drop ID", "Remove a token", cobra.ExactArgs(1)},
	})
	return command
}

// changeTokens does one command about tokens, and returns what to print.
func changeTokens(ctx context.Context, users *database.Accounts, request userRequest) (string, error) {
	switch request.Do {
	case "token create":
		token, err := users.CreateToken(ctx, request.Name)
		return adminTokenVariable + "=" + token + "\n", err
	case "token list":
		tokens, err := users.Tokens(ctx, request.Name)
		var b strings.Builder
		for i := range tokens {
			fmt.Fprintln(&b, tokens[i].String())
		}
		return b.String(), err
	case "token drop":
		return "token " + request.Name + " dropped\n", users.DropToken(ctx, request.Name)
	}
	return "", fmt.Errorf("there is no user command %q", request.Do)
}

// changeAccessKeys does one command about access keys, and returns what to print.
func changeAccessKeys(ctx context.Context, users *database.Accounts, request userRequest) (string, error) {
	switch request.Do {
	case "key create":
		id, secret, err := users.CreateAccessKey(ctx, request.Name)
		return fmt.Sprintf("AWS_ACCESS_KEY_ID=%s\nAWS_SECRET_ACCESS_KEY=%s\n", id, secret), err
	case "key list":
		keys, err := users.AccessKeys(ctx, request.Name)
		var b strings.Builder
		for i := range keys {
			fmt.Fprintln(&b, keys[i].String())
		}
		return b.String(), err
	case "key disable", "key enable":
		return "access key " + request.Name + " " + request.Do[len("key "):] +
			"d\n", users.DisableAccessKey(ctx, request.Name, request.Do == "key disable")
	case "key drop":
		return "access key " + request.Name + " dropped\n", users.DropAccessKey(ctx, request.Name)
	}
	return "", fmt.Errorf("there is no user command %q", request.Do)
}

// rotateCommand is `weft key rotate`.
func (p *program) rotateCommand() *cobra.Command {
	var data, next string
	command := &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt the secrets of all access keys under another master key",
		Long: `Encrypt the secrets of all access keys under another master key. The folder must not be served meanwhile. The present master key is
given as to the server, in the file that WEFT_MASTER_KEY_FILE names or in WEFT_MASTER_KEY. If the command is interrupted, run it again.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if data == "" || next == "" {
				return commandline.Usage(errors.New("weft key rotate needs --data FOLDER and --new-master-key-file FILE"))
			}
			return p.rotateMasterKey(c.Context(), data, next)
		},
	}
	command.Flags().StringVar(&data, "data", "", "a data `FOLDER` that no server has open")
	command.Flags().StringVar(&next, "new-master-key-file", "", "the `FILE` with the new master key")
	return command
}

func (p *program) rotateMasterKey(ctx context.Context, data, next string) error {
	text, err := p.readFile(next)
	if err != nil {
		return err
	}
	master, err := account.ParseMaster(string(text))
	if err != nil {
		return err
	}
	return p.withConfiguredFolder(ctx, data, func(c *config, db *database.DB) error {
		users, err := c.accountsOf(db)
		if err != nil {
			return err
		}
		n, err := users.RotateMaster(ctx, master)
		if err == nil {
			fmt.Fprintf(p.stdout, "%d access keys are now encrypted with the new master key: start the server with it\n", n)
		}
		return err
	})
}
