// SPDX-License-Identifier: Apache-2.0

package value

// CodecNames are the names of all codecs. immutable
var CodecNames = codecNames
