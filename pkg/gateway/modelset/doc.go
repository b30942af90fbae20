// Package modelset makes the models of a gateway from its configuration: the providers that
// ask them, the models that step in for each other, and the choice of the model for a
// purpose and a chat ([Set.For]).
//
// Without models in the configuration, [New] takes those that it finds: of each server for
// which the environment has a key, else of a model server on this machine, else the
// built-in one; [Keyed] and [Serving] find them for others too. A model without its key is
// left out, so that a chat cannot choose it.
//
// A model that is chosen for a chat answers all that the chat asks, summaries and
// background agents too, except where the configuration names a model for that purpose.
//
// To add a provider: construct it in newProvider, and name it in the configuration. To add a
// server whose key is found: write a line in keys. A server on this machine is a row with
// Local in package kinds.
package modelset
