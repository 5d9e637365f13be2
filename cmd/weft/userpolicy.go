// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
)

// policyCommands are `weft user policy ...`.
func (p *program) policyCommands(f *userFlags) *cobra.Command {
	command := &cobra.Command{
		Use:   "policy",
		Short: "Manage what users and roles may do",
		Long: `Give users and roles IAM policies, and take them away. A policy is a document in AWS's JSON, or one of the predefined policies
AdministratorAccess, AmazonDynamoDBFullAccess and AmazonDynamoDBReadOnlyAccess. A change holds within a second.`,
		Args: commandline.UnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, sub := range []struct {
		use, short string
		args       cobra.PositionalArgs
	}{
		{"put USER POLICY [FILE]", "Give a user or role a policy: the document in FILE, or the predefined policy of that name", cobra.RangeArgs(2, 3)},
		{"list USER", "List the policies of a user or role", cobra.ExactArgs(1)},
		{"show USER POLICY", "Show the document of a policy", cobra.ExactArgs(2)},
		{"drop USER POLICY", "Take a policy away from a user or role", cobra.ExactArgs(2)},
	} {
		command.AddCommand(&cobra.Command{Use: sub.use, Short: sub.short, Args: sub.args,
			RunE: func(c *cobra.Command, args []string) error {
				request := userRequest{Do: "policy " + c.Name(), Name: args[0]}
				if len(args) > 1 {
					request.Policy = args[1]
				}
				if len(args) > 2 {
					document, err := p.readFile(args[2])
					if err != nil {
						return err
					}
					request.Document = string(document)
				}
				return p.user(c.Context(), request, f)
			}})
	}
	return command
}

// changePolicies does one command about policies, and returns what to print.
func changePolicies(ctx context.Context, users *database.Accounts, request userRequest) (string, error) {
	switch request.Do {
	case "policy put":
		return fmt.Sprintf("%s has the policy %s\n", request.Name, request.Policy), users.Change(ctx, request.Name,
			func(u *account.Account) error {
				return u.PutPolicy(request.Policy, request.Document)
			})
	case "policy drop":
		return fmt.Sprintf("%s has the policy %s no more\n", request.Name, request.Policy), users.Change(ctx,
			request.Name, func(u *account.Account) error {
				return u.DropPolicy(request.Policy)
			})
	}
	u, ok, err := users.Get(ctx, request.Name)
	if err != nil || !ok {
		return "", orNotFound(err)
	}
	var b strings.Builder
	for i := range u.Policies {
		if request.Do == "policy list" {
			fmt.Fprintln(&b, u.Policies[i].Name)
		} else if u.Policies[i].Name == request.Policy {
			return strings.TrimRight(u.Policies[i].Text(), "\n") + "\n", nil
		}
	}
	if request.Do == "policy show" {
		err = account.ErrNoPolicy
	}
	return b.String(), err
}

func orNotFound(err error) error {
	if err == nil {
		return account.ErrNotFound
	}
	return err
}
