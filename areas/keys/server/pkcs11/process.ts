// The process that holds one PKCS#11 module for one token. A module that crashes takes this process down and nothing else; the server
// starts another. It ends by itself when the server that started it is gone.

import { loadModule, Pkcs11Error, type Pkcs11Module } from './module.ts'
import { ownResults, type Answered, type Asked, type Failure } from './protocol.ts'
import { initialize, listTokens, openToken, type OpenToken } from './token.ts'

const [path = ''] = process.argv.slice(2)
let started: Promise<Pkcs11Module> | undefined
let opened: Promise<OpenToken> | undefined

async function start(): Promise<Pkcs11Module> {
  const module = loadModule(path)
  await initialize(module)
  return module
}

const theModule = (): Promise<Pkcs11Module> => (started ??= start())
const theToken = (): Promise<OpenToken> => opened ?? Promise.reject(new Error('Not logged in'))

async function answer(asked: Asked): Promise<unknown> {
  switch (asked.task) {
    case 'tokens':
      return (await listTokens(await theModule())).map(({ seen }) => seen)
    case 'open':
      opened = theModule().then((module) => openToken(module, asked.input))
      return (await opened).seen
    case 'keys':
      return (await theToken()).keys()
    case 'generate':
      return (await theToken()).generate(asked.input)
    case 'destroy':
      return (await theToken()).destroy(asked.input)
    case 'sign':
      return (await theToken()).sign(asked.input)
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof Pkcs11Error) return { result: error.result, call: error.call, message: error.message }
  return { result: ownResults.cannotLoad, call: '', message: error instanceof Error ? error.message : String(error) }
}

const say = (answered: Answered) => process.send?.(answered)

process.on('message', (asked: Asked) => {
  answer(asked).then(
    (value) => say({ number: asked.number, value }),
    (error: unknown) => say({ number: asked.number, failure: failureOf(error) }),
  )
})
process.on('disconnect', () => process.exit())
