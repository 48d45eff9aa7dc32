import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { audit } from '#areas/audit/contract.ts'
import { createAuthority } from '#areas/authorities/service.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { createDefaultTemplates } from '#areas/templates/service.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { useHouse } from '#core/testing/house.ts'
import { home } from '../contract.ts'
import { documentTitles } from '../document-words.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const ada = acme.administrator

const allSteps = ['support', 'person', 'authority', 'template', 'certificate', 'approval']
const doneSteps = async () => (await ada.call(home.calls.firstRun, {})).steps.filter(({ done }) => done).map(({ step }) => step)

describe('The first run', () => {
  it('is measured step by step, in this tenancy alone', async () => {
    expect((await ada.call(home.calls.firstRun, {})).steps.map(({ step }) => step)).toEqual(allSteps)
    expect(await doneSteps()).toEqual([])
    await ada.call(tenancy.calls.change, { name: 'Acme', bannerColour: '#ffd400', supportEmail: 'help@acme.example' })
    expect(await doneSteps()).toEqual(['support'])
    await acme.person({ permissions: ['search'] })
    expect(await doneSteps()).toEqual(['support', 'person'])

    const maker = { tenantId: acme.id, userId: ada.id, name: ada.username }
    const { caId } = await createAuthority(house.house, maker, { kind: 'root', friendlyName: 'Root', subject: { CN: 'Root' } })
    expect(await doneSteps()).toContain('authority')
    await inTenant(house.house.database, acme.id, (db) => createDefaultTemplates(db, { tenantId: acme.id, caId, now: house.clock.now() }))
    expect(await doneSteps()).toEqual(['support', 'person', 'authority', 'template'])

    const other = await house.tenancy('Other')
    expect((await other.administrator.call(home.calls.firstRun, {})).steps.every(({ done }) => !done)).toBe(true)
  })
})

describe('The page in one call', () => {
  it('answers what its cards read as each call itself does, for who may', async () => {
    const { answers } = await ada.call(home.calls.page, {})
    const of = (name: string) => answers.find((one) => `${one.area}.${one.name}` === name)
    expect(of('home.firstRun')?.answer).toEqual(await ada.call(home.calls.firstRun, {}))
    const { statuses } = await ada.call(certificates.calls.pictures, {})
    expect(of('certificates.pictures')?.answer).toMatchObject({ statuses })
    expect(of('revocation.lists')).toMatchObject({ input: {}, answer: await ada.call(revocation.calls.lists, {}) })
    expect(new Set(answers.map(({ area, name, input }) => `${area}.${name} ${JSON.stringify(input)}`)).size).toBe(answers.length)

    const eve = await acme.person({ permissions: ['selfServicePortal'] })
    const hers = (await eve.call(home.calls.page, {})).answers.map(({ area, name }) => `${area}.${name}`)
    expect(hers).toContain('certificates.requests')
    for (const name of ['audit.recent', 'certificates.pictures', 'authorities.list', 'revocation.lists']) expect(hers).not.toContain(name)
  })

  it('is told of what is new in its tenancy, and of nothing elsewhere', async () => {
    const elsewhere = await house.tenancy('Elsewhere')
    const socket = new WebSocket(`${house.origin.replace('http', 'ws')}${home.streams.changes.path}`, {
      headers: { authorization: `Bearer ${ada.token}` },
    })
    await once(socket, 'open')
    socket.send('{}')
    const told: string[] = []
    socket.on('message', (data) => void told.push(String(data)))
    await elsewhere.administrator.call(tenancy.calls.change, { name: 'Elsewhere', bannerColour: '#008060', supportEmail: '' })
    await ada.call(tenancy.calls.change, { name: 'Acme', bannerColour: '#008060', supportEmail: 'help@acme.example' })
    await expect.poll(() => told.length).toBe(1)
    socket.close()
  })
})

describe('The pictures', () => {
  it('count what the list behind each bar counts', async () => {
    const { statuses, ending, history } = await ada.call(certificates.calls.pictures, {})
    expect(statuses).toHaveLength(6)
    expect([ending.length, history.length]).toEqual([12, 12])
    for (const { status, count } of statuses)
      expect((await ada.call(certificates.calls.search, { status: [status], facets: false })).total).toBe(count)
    for (const { span, count } of ending)
      expect((await ada.call(certificates.calls.search, { ends: span, facets: false })).total).toBe(count)
    for (const { span, issued, revoked } of history) {
      expect((await ada.call(certificates.calls.search, { issued: span, facets: false })).total).toBe(issued.count)
      expect((await ada.call(certificates.calls.search, { revoked: span, facets: false })).total).toBe(revoked.count)
    }
  })

  it('show the freshness of each list, and the newest activity, to those who may', async () => {
    const { lists } = await ada.call(revocation.calls.lists, {})
    expect(lists.map(({ caName }) => caName)).toEqual(['Root'])
    const { rows } = await ada.call(audit.calls.recent, {})
    expect(rows.map(({ area, name }) => `${area}.${name}`)).toContain('authorities.created')
    const eve = await acme.person({ permissions: ['search'] })
    for (const call of [audit.calls.recent, revocation.calls.lists, certificates.calls.pictures])
      await expect(eve.call(call, {})).rejects.toMatchObject({ status: 403 })
  })

  it('say what waits for this person, and nothing about what they may not see', async () => {
    expect(await ada.call(home.calls.waiting, {})).toEqual({
      counts: { approvals: 0, revocation: 0, hold: 0, release: 0, authorities: 0, registration: 0, heldMail: 0, scanNetwork: 0 },
    })
    const eve = await acme.person({ permissions: ['search'] })
    expect(await eve.call(home.calls.waiting, {})).toEqual({ counts: {} })
  })
})

describe('About', () => {
  it('names the version, the runtime, the database and every package with its licence', async () => {
    const about = await ada.call(home.calls.about, {})
    expect(about.version).toBe(house.house.version)
    expect(about.database).toMatch(/^PostgreSQL \d+/)
    expect(about.licences).toContainEqual(expect.objectContaining({ name: 'react', licence: 'MIT' }))
    expect(about.licences.some(({ name }) => name === 'vitest')).toBe(false)
  })

  it('lists the documentation and opens one of it, and nothing else', async () => {
    const { files } = await ada.call(home.calls.documentation, {})
    expect(files.map(({ name }) => name)).toContain('SECURITY.md')
    const known = new Set<string>(documentTitles.map(({ title }) => title))
    expect(files.filter(({ title }) => !known.has(title))).toEqual([])
    expect((await ada.call(home.calls.document, { name: 'SECURITY.md' })).text).toContain('#')
    for (const name of ['package.json', '../package.json', 'docs-../package.json', 'docs-..%2F..%2Fetc%2Fpasswd'])
      await expect(ada.call(home.calls.document, { name })).rejects.toMatchObject({ status: 404 })
    await expect(house.signedOut.call(home.calls.documentation, {})).rejects.toMatchObject({ status: 401 })
  })
})
