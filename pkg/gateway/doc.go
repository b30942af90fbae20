// Package gateway puts a gateway together from a configuration: the store, the audit
// log, the model, the channels, the tools and the agent between them. [App] constructs,
// runs and stops one.
//
// [New] constructs the parts in order, and each may use those before it. [App.Run] stops
// in two phases: the intake first, then the work with a deadline, then the sending. After
// [App.Close] the state folder is free.
//
// Adapters are named here alone, in the files of their kind: slack.go and telegram.go
// for channels, models.go for models, and package toolset for tools. [Channels] holds
// the channels with their ways out, and a supervisor runs them. The files adapters.go
// and pairing.go turn the interface that one room declares into the methods that another
// has.
//
// [Operate] does one operation of package admin where no gateway runs. [ConfigOptions]
// and [Check] hold a configuration against the channels and tools that there are.
// [InitWorkspace] writes the files of a first start beside the configuration, which package
// setup makes.
//
// To add a channel: construct it in platforms.open, name it in built, and give its rules
// to newPolicy. To add a tool: see package toolset.
package gateway
