// Package web is the page: the files that a browser reads, as they are in static, and Markdown as
// a tree that the page makes nodes of.
//
// It promises that the files need no build, that their address changes with any of them, so that
// a browser keeps them until then and never mixes two versions, and that a tree has text and
// links to http, https and mailto alone: nothing in it is markup of a browser.
//
// The entry is static/app.js; static/vendor has Preact and htm with their licences.
package web
