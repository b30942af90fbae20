// Package config reads the one configuration file of the gateway.
//
// It promises:
//
//   - The file is strict: an unknown key, a wrong type, a key written twice or a value
//     out of range is an error with file, line, column and the correction. All that is
//     wrong is reported together.
//   - A key that is left out has a default; no file at all is a valid configuration.
//   - Secrets are references (env:, file:, credential:). A secret written into the file
//     is refused, and a [Secret] does not print its value.
//   - [Schema] describes the same types for editors.
//
// It reads only the file, the files that it refers to, and the environment function it
// is given. To add a key: add a field with its yaml tag, its limits in the jsonschema
// tag and its jsonschema_description, and its default to [Default]; the loader and the
// schema follow from the types.
package config
