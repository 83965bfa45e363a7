// Command ajv writes request bodies, valid and invalid, with the verdict of our contract package: one JSON object on each
// line. The programs beside it, which are written in JavaScript, let Ajv judge the same bodies and all examples.
//
// What belongs here: bodies that follow from the schemas, and what Ajv cannot know. What does not: rules that need data.
package main
