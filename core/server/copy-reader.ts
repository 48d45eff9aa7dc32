// Reads the binary format of COPY from the connection into blocks (copy-out.ts says why).

import type { PostgresCursor } from 'kysely'

/** Values of the column, one behind the other; `values` are how many. */
export type CopiedBlock = { bytes: Buffer; values: number }

const blockBytes = 1 << 18

/** For who is done with a block: its memory is used again for one to come. */
export function reuseBlock({ bytes }: CopiedBlock): void {
  if (bytes.buffer.byteLength === blockBytes && spare.length < mostSpares) spare.push(Buffer.from(bytes.buffer))
}
const spare: Buffer[] = []
const mostSpares = 4
const newBlock = (size: number): Buffer =>
  size > blockBytes ? Buffer.allocUnsafeSlow(size) : (spare.pop() ?? Buffer.allocUnsafeSlow(blockBytes))

// PostgreSQL manual, COPY, binary format: a signature of 11 bytes, flags and the length of an extension that nobody writes; then for each
// row the number of its fields (2 bytes) and of each field its length (4 bytes) and its bytes; at the end -1 in the place of a number.
const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const preambleBytes = 19

// A class, because both Kysely and the driver make and call it by methods.
export class CopyReader<T> implements PostgresCursor<T> {
  /** Named as in the driver's own queries, for who watches what is sent. */
  readonly text: string
  #blocks: CopiedBlock[] = []
  #open: CopiedBlock = { bytes: Buffer.alloc(0), values: 0 }
  #filled = 0
  #ended = false
  #error: Error | undefined
  #wake: () => void = () => {}
  callback: () => void = () => {}

  constructor(sql: string, _parameters: unknown[]) {
    this.text = sql
  }

  // What Kysely calls.

  async read(): Promise<T[]> {
    while (this.#blocks.length === 0 && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve))
    if (this.#error !== undefined) throw this.#error
    return this.#blocks.splice(0) as T[]
  }

  /** The connection is free again only when the last message has come. */
  async close(): Promise<void> {
    while (!this.#ended) {
      this.#blocks = []
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  // What the driver calls.

  submit(connection: { query(text: string): void }): void {
    connection.query(this.text)
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    let at = chunk.subarray(0, signature.length).equals(signature) ? preambleBytes : 0
    while (at + 6 <= chunk.length && chunk.readInt16BE(at) === 1) {
      const length = chunk.readInt32BE(at + 2)
      this.#take(chunk, at + 6, length)
      at += 6 + length
    }
  }

  #take(chunk: Buffer, start: number, length: number): void {
    if (this.#filled + length > this.#open.bytes.length) {
      this.#seal()
      this.#open = { bytes: newBlock(length), values: 0 }
    }
    chunk.copy(this.#open.bytes, this.#filled, start, start + length)
    this.#filled += length
    this.#open.values += 1
  }

  #seal(): void {
    if (this.#open.values > 0) this.#blocks.push({ bytes: this.#open.bytes.subarray(0, this.#filled), values: this.#open.values })
    this.#open = { bytes: Buffer.alloc(0), values: 0 }
    this.#filled = 0
    this.#wake()
  }

  handleError(error: Error): void {
    this.#error = error
    this.#ended = true
    this.#wake()
  }

  handleReadyForQuery(): void {
    this.#seal()
    this.#ended = true
    this.#wake()
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
}
