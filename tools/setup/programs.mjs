import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(fileURLToPath(new URL('../..', import.meta.url)))
const tools = join(root, 'node_modules', '.bin')

/** Node 24 from the npm package `node`; the machine's own may be older. */
export const node = join(tools, process.platform === 'win32' ? 'node.exe' : 'node')

/** A program of a dependency. */
export const tool = (name) => join(tools, name)

/** A failure that is told in a sentence, without a stack. */
export class SetupError extends Error {
  constructor(sentence) {
    super(sentence)
    this.sentence = sentence
  }
}

/** Where Node keeps what it made of each source file, types stripped, to start with next time: half the processor time of a start. Not among the system's temporary files, where others may write. */
const compiled = join(root, 'node_modules', '.cache', 'node')

/** The environment in which `node` is Node 24. */
export function withTools() {
  return { ...process.env, PATH: [tools, process.env.PATH].join(delimiter), NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compiled }
}

/** The environment without our own tools: npm must not run on the Node that it is about to replace. */
export function withoutTools() {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !/[\\/]node_modules[\\/]/.test(`${folder}/`))
  return { ...process.env, PATH: path.join(delimiter) }
}

/** Runs a program with our output; answers its exit code, 127 where it cannot be started. It ends when we are told to end. */
export function run(program, args, options = {}) {
  return new Promise((done) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: withTools(), ...options })
    const end = () => {
      child.kill('SIGTERM')
      // Only then: others that run beside it are told, too.
      setImmediate(() => process.exit(143))
    }
    process.once('SIGTERM', end)
    const finish = (code) => {
      process.off('SIGTERM', end)
      done(code)
    }
    child.once('error', (error) => {
      console.error(`${program} cannot be started: ${error.message}`)
      finish(127)
    })
    child.once('exit', (code, signal) => finish(signal ? 1 : code))
  })
}

export function isOnPath(program) {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'].some((folder) => isExecutable(join(folder, program)))
}

export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
