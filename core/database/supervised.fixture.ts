import { startEmbeddedDatabase } from './embedded.ts'
// A program for the tests: starts the embedded database of the folder given, says so in one line of JSON, and stops on SIGTERM.
// Being a process of its own, it can be killed, and two of them can start at once.
import { DatabaseError } from './error.ts'

const said: string[] = []
try {
  const database = await startEmbeddedDatabase({ dataDirectory: process.argv[2] ?? '', log: (sentence) => said.push(sentence) })
  process.once('SIGTERM', () => void database.stop().then(() => process.exit(0)))
  setInterval(() => {}, 60_000)
  console.log(JSON.stringify({ host: database.connection.host, directory: database.directory, adopted: database.adopted, said }))
} catch (error) {
  if (!(error instanceof DatabaseError)) throw error
  console.log(JSON.stringify({ code: error.code, message: error.message, said }))
}
