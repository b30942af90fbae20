// Command bench measures the gateway from outside and prints one table: the bound of
// each figure, its value, and whether it holds.
//
//	go run ./internal/tools/bench [-only NAME,NAME] [-reps 3] [-list]
//
// The gateway is a process of its own, built with the test channel, with everything
// durable; the platform is loopchat's server in this process, or a strict Telegram or
// Slack server for the rows with its name, the model another process. Every repetition
// has a fresh gateway on a fresh state; the figure is the median. The speed of a
// machine is in every number: compare runs of one machine only.
//
// To add a figure: write a func(context.Context, place) ([]report.Figure, error)
// and name it in rows; it is measured on each platform. To add a platform:
// implement platform, and give rows the place that connects it.
package main
