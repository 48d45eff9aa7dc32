import { expect, test } from 'vitest'
import { checkJson, checkOutward, checkPaths, checkRooms, checkStores, checkTables } from './rooms.ts'

const judge = (file: string, text: string) => checkRooms([file], () => text).map((breach) => breach.says)

test('a room may use the root files of a room below it', () => {
  expect(judge('areas/users/service.ts', "import { x } from '#areas/roles/service.ts'")).toEqual([])
})

test('a room may not use a room above it, nor the inside of any', () => {
  expect(judge('areas/roles/service.ts', "import { x } from '#areas/users/service.ts'")[0]).toMatch(/listed before it/)
  expect(judge('areas/users/service.ts', "export { x } from '../roles/server/store.ts'")[0]).toMatch(/only by the files at its root/)
  expect(judge('areas/users/service.ts', "const x = await import('#areas/roles/server/store.ts')")[0]).toMatch(
    /only by the files at its root/,
  )
})

test('a room that gathers imports none of those that offer', () => {
  for (const room of ['audit', 'search', 'home'])
    expect(judge(`areas/${room}/server/index.ts`, "import { x } from '#areas/roles/service.ts'")[0]).toMatch(/gathers through slots/)
  expect(judge('areas/home/console/Home.test.tsx', "import { x } from '#areas/roles/contract.ts'")).toEqual([])
})

test('nothing looks up: standards at core, core at rooms, rooms at apps', () => {
  expect(judge('standards/der/reader.ts', "import '#core/server/log.ts'")[0]).toMatch(/may not look up/)
  expect(judge('core/server/log.ts', "import '#areas/users/service.ts'")[0]).toMatch(/may not look up/)
  expect(judge('areas/users/server/index.ts', "import '#apps/server/rooms.ts'")[0]).toMatch(/may not look up/)
})

test('what the browser reads sees neither Node nor the server', () => {
  expect(judge('areas/users/rules.ts', "import { readFile } from 'node:fs'")[0]).toMatch(/Node's/)
  expect(judge('areas/users/console/AddUser.tsx', "import { x } from '../service.ts'")[0]).toMatch(/for the server/)
  expect(judge('areas/users/server/index.ts', "import React from 'react'")[0]).toMatch(/belongs to the console/)
})

test('a table is named by its own room only', () => {
  const texts: Record<string, string> = {
    'areas/users/server/migrations/0001-users.sql': 'create table users (',
    'areas/roles/server/store.ts': "db.selectFrom('users')",
    'areas/users/server/store.ts': "db.selectFrom('users')",
  }
  expect(checkTables(Object.keys(texts), (file) => texts[file] ?? '').map((breach) => breach.file)).toEqual(['areas/roles/server/store.ts'])
})

test('a table is named by its own room only, also in a statement that is written out', () => {
  const texts: Record<string, string> = {
    'areas/users/server/migrations/0001-users.sql': 'create table users (',
    'areas/roles/server/store.ts': '// Roles come from users.\nconst a = sql`select 1\n  from users`',
    'areas/roles/server/given-store.ts': "const a = { name: 'give', text: 'update users set role = $1' }",
    'areas/roles/server/given/given-store.ts': 'sql`select 1 from users`',
    'areas/users/server/store.ts': 'sql`delete from users`',
  }
  expect(checkTables(Object.keys(texts), (file) => texts[file] ?? '').map(({ file, line }) => `${file}:${line}`)).toEqual([
    'areas/roles/server/store.ts:3',
    'areas/roles/server/given-store.ts:1',
    'areas/roles/server/given/given-store.ts:1',
  ])
})

test('a statement stands in a store of its room', () => {
  const texts: Record<string, string> = {
    'areas/users/server/store.ts': "db.selectFrom('users')",
    'areas/users/server/link-store.ts': "db.selectFrom('links')",
    'areas/users/server/links/link-store.ts': "db.selectFrom('links')",
    'areas/users/server/links/store.ts': "db.selectFrom('links')",
    'areas/users/server/links/old/link-store.ts': "db.selectFrom('links')",
    'areas/users/server/users.test.ts': "db.selectFrom('users')",
    'areas/users/service.ts': "const a = 1\ndb\n  .selectFrom('users')",
    'areas/users/server/index.ts': 'await sql<{ n: number }>`select 1`.execute(db)',
    'areas/users/server/lease.ts': "await client.query('select 1')",
    'areas/users/server/many.ts': "const a = {\n  name: 'add',\n  text: 'insert into users',\n}",
    'areas/users/server/letter.ts': "const a = { text: 'Choose one from the list' }",
  }
  const judged = checkStores(Object.keys(texts), (file) => texts[file] ?? '').map(({ file, line }) => `${file}:${line}`)
  expect(judged).toEqual([
    'areas/users/server/links/store.ts:1',
    'areas/users/server/links/old/link-store.ts:1',
    'areas/users/service.ts:3',
    'areas/users/server/index.ts:1',
    'areas/users/server/lease.ts:1',
    'areas/users/server/many.ts:3',
  ])
})

test('a path is written in a contract, and linked to from everywhere else', () => {
  const texts: Record<string, string> = {
    'areas/users/contract.ts': "view: { path: '/identity/user/view/:id' }, old: '/identity/user'",
    'areas/users/activation-path.ts': "export const activationPath = '/activateaccount/:token'",
    'areas/users/lifecycle.ts': "view: { path: '/identity/user/life' }",
    'areas/users/server/letters.ts':
      "// the page '/identity/user'\nconst link = to(users.screens.view, { id }) // '/identity'\nconst part = text.split('/')",
    'areas/users/server/index.ts': 'const one = 1\nconst link = linkTo(house, `/activateaccount/${token}`)',
    'areas/users/console/Users.tsx': '<Download from={`/api2/IDM-v1/Export?text=${text}`} />',
    'areas/users/console/Users.test.tsx': "open('/search/user')",
  }
  expect(checkPaths(Object.keys(texts), (file) => texts[file] ?? '').map(({ file, line }) => `${file}:${line}`)).toEqual([
    'areas/users/server/index.ts:2',
    'areas/users/console/Users.tsx:1',
  ])
})

test('nothing but the one way out connects to other places', () => {
  const judgeOut = (file: string, text: string) => checkOutward([file], () => text).map(({ line }) => line)
  const file = 'areas/users/server/index.ts'
  for (const text of [
    "import { connect } from 'node:net'",
    "import net from 'node:net'",
    "import * as tls from 'node:tls'",
    "import { request as ask } from 'node:https'",
    "import { Resolver } from 'node:dns/promises'",
    "import { createSocket } from 'node:dgram'",
    "import { Agent } from 'undici'",
    'const answer = await fetch(url)',
    'const ask = globalThis.fetch',
    "const socket = new WebSocket('wss://example.org')",
  ])
    expect([text, judgeOut(file, `// one\n${text}`)]).toEqual([text, [2]])
  for (const text of [
    "import { isIP } from 'node:net'",
    "import type { Socket } from 'node:net'",
    "import { type Socket, createServer } from 'node:net'",
    "import { createServer } from 'node:http'",
    'const answer = await house.fetch(url)',
    'const handlers = { async fetch(input: string) {} }',
    '// fetch(url)',
  ])
    expect([text, judgeOut(file, text)]).toEqual([text, []])
  expect(judgeOut('core/server/outward/connect.ts', "import { connect } from 'node:net'")).toEqual([])
  expect(judgeOut('areas/users/console/AddUser.ts', 'await fetch(url)')).toEqual([])
})

test('JSON of others is parsed by nothing that does not bound it', () => {
  const judgeJson = (file: string, text: string) => checkJson([file], () => text).map(({ line }) => line)
  for (const file of ['areas/users/server/index.ts', 'areas/users/rules.ts', 'core/server/streams.ts', 'standards/acme/jws.ts'])
    for (const text of ['const value = JSON.parse(text)', 'all.map(JSON.parse)', 'const body = await response.json()'])
      expect([file, text, judgeJson(file, `// one\n${text}`)]).toEqual([file, text, [2]])
  expect(judgeJson('areas/users/server/index.ts', '// JSON.parse(text)\nconst value = readJson(text)')).toEqual([])
  expect(judgeJson('standards/json/read.ts', 'JSON.parse(text)')).toEqual([])
  expect(judgeJson('areas/users/server/users.test.ts', 'JSON.parse(text)')).toEqual([])
})
