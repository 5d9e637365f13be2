// SPDX-License-Identifier: Apache-2.0

package attributejson

// AppendMember begins a member of the object at the end of dst, with a comma where one is due. The name must need no escapes.
func AppendMember(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}
