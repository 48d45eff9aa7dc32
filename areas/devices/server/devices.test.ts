import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { devices } from '../contract.ts'
import { openMdm } from './managed.fixture.ts'
import { sync, syncDue } from './sources.ts'

const mdm = await openMdm()
afterAll(() => mdm.close())
const house = await useHouse({ settings: { CHANCERY_OUTWARD_ALLOW: '127.0.0.0/8', CHANCERY_OUTWARD_PORTS: String(mdm.port) } })
let acme: TestTenancy
let ada: TestPerson
const calls = devices.calls

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = acme.administrator
})

const base64 = (text: string) => Buffer.from(text).toString('base64')
const scimCore = 'urn:ietf:params:scim:schemas:core:2.0:Device'
const scimSerial = 'urn:ietf:params:scim:schemas:extension:dpp:2.0:Device'

async function imported(text: string, by = ada): Promise<string> {
  const { importId, mapping } = await by.call(calls.prepareImport, { fileName: 'devices.csv', file: base64(text) })
  await by.call(calls.checkImport, { importId, mapping })
  await house.runJob(devices.jobs.imports)
  await by.call(calls.startImport, { importId, skipFaulty: true })
  await house.runJob(devices.jobs.imports)
  return importId
}

const scim = (by: TestPerson, method: string, path = '', body?: object) =>
  by.fetch(`/scim/v2/Devices${path}`, {
    method,
    headers: { 'content-type': 'application/scim+json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const told = (serialNumber: string, displayName = 'Told by a client') => ({
  schemas: [scimCore, scimSerial],
  displayName,
  active: true,
  [scimSerial]: { serialNumber },
})
const rowsOf = async (text: string, by = ada) => (await by.call(calls.search, { text })).rows

describe('A device', () => {
  test('is added with one spelling of what it is known by, found by any of them, changed and deleted', async () => {
    const { id } = await ada.call(calls.add, {
      name: 'Printer 1',
      type: 'Printer',
      hostname: 'Printer1.Example.ORG.',
      ownerId: ada.id,
      identifiers: [
        { kind: 'eui48', value: '001B.4411.3AB7' },
        { kind: 'serial', value: 'pr-77' },
      ],
      endpoints: [{ name: 'Web', address: '10.1.1.9', serverName: 'printer1.example.org' }],
    })
    expect(await ada.call(calls.read, { id })).toMatchObject({
      hostname: 'printer1.example.org',
      serial: 'PR-77',
      owner: 'Grace Administrator',
      claims: [
        { kind: 'eui48', value: '00:1b:44:11:3a:b7' },
        { kind: 'serial', value: 'PR-77', shared: false },
      ],
    })
    for (const text of ['PR-77', '00:1b:44:11:3a:b7', '00-1B-44-11-3A-B7', 'printer1', 'printer 1'])
      expect((await rowsOf(text)).map((row) => row.id)).toEqual([id])
    const { deviceEndpoints } = await ada.call(calls.endpoints, { id })
    await ada.call(calls.change, { id, version: 2, name: 'Printer one', type: 'Printer', endpoints: deviceEndpoints })
    expect((await ada.call(calls.endpoints, { id })).deviceEndpoints).toEqual(deviceEndpoints)
    expect(await ada.call(calls.read, { id })).toMatchObject({ name: 'Printer one', serial: '', claims: [] })
    await expect(ada.call(calls.change, { id, version: 2, name: 'Late', type: 'Printer' })).rejects.toMatchObject({ status: 409 })
    await ada.call(calls.remove, { id })
    expect(await rowsOf('Printer one')).toEqual([])
  })

  test('is refused with each field that is wrong, and with an owner of another tenancy as with none', async () => {
    await expect(
      ada.call(calls.add, {
        name: 'Wrong',
        type: 'Server',
        hostname: 'under_score',
        identifiers: [
          { kind: 'serial', value: 'To be filled by O.E.M.' },
          { kind: 'eui48', value: '01:00:5e:00:00:01' },
          { kind: 'eui48', value: '00:00:00:00:00:00' },
          { kind: 'imei', value: '490154203237519' },
        ],
        endpoints: [{ address: '10.1.1' }],
      }),
    ).rejects.toMatchObject({
      status: 400,
      fields: [
        { field: 'hostname' },
        { field: 'identifiers.0.value' },
        { field: 'identifiers.1.value', says: 'This is the address of a group, not of one device' },
        { field: 'identifiers.2.value' },
        { field: 'identifiers.3.value' },
        { field: 'endpoints.0.address' },
      ],
    })
    const other = (await house.tenancy('Elsewhere')).administrator
    await expect(ada.call(calls.add, { name: 'A', type: 'Server', ownerId: other.id })).rejects.toMatchObject({ code: 'unknownOwner' })
    await expect(ada.call(calls.add, { name: 'A', type: 'Spaceship' })).rejects.toMatchObject({ code: 'unknownType' })
  })

  test('of another tenancy is missing to every call', async () => {
    const { id } = await ada.call(calls.add, { name: 'Ours', type: 'Server', identifiers: [{ kind: 'serial', value: 'OURS-1' }] })
    const other = (await house.tenancy('Globex')).administrator
    for (const call of [calls.read, calls.endpoints, calls.certificates, calls.dependants, calls.remove])
      await expect(other.call(call, { id })).rejects.toMatchObject({ status: 404 })
    expect(await rowsOf('OURS-1', other)).toEqual([])
    // The same serial number in two tenancies is no conflict.
    expect(await other.call(calls.add, { name: 'Theirs', type: 'Server', identifiers: [{ kind: 'serial', value: 'OURS-1' }] })).toMatchObject({ conflicts: 0 }) // prettier-ignore
  })

  test('of many chosen ones is retired without those that were left out', async () => {
    const made = []
    for (const name of ['Fleet 1', 'Fleet 2', 'Fleet 3']) made.push((await ada.call(calls.add, { name, type: 'Mobile' })).id)
    const answer = await ada.call(calls.changeMany, {
      selectAll: true,
      exclusionList: made.slice(2),
      query: { text: 'Fleet', type: ['Mobile'] },
      status: 'retired',
    })
    expect(answer).toEqual({ changed: 2 })
    expect((await rowsOf('Fleet')).map((row) => row.status)).toEqual(['retired', 'retired', 'active'])
  })
})

describe('A client of SCIM with the scopes of devices', () => {
  test('learns where the serial number goes, and hears of an attribute that is not taken', async () => {
    const client = await acme.person({ permissions: ['deviceView', 'deviceAdd', 'deviceEdit'] })
    const ask = async (path: string) => (await client.fetch(`/scim/v2/${path}`)).json() as Promise<object>
    expect(await ask('ServiceProviderConfig')).toMatchObject({ patch: { supported: true } })
    expect(await ask('ResourceTypes/Device')).toMatchObject({ endpoint: '/Devices', schema: scimCore })
    expect(await ask(`Schemas/${scimSerial}`)).toMatchObject({ attributes: [{ name: 'serialNumber' }] })
    const flat = await scim(client, 'POST', '', { schemas: [scimCore], displayName: 'Flat', serialNumber: 'FLAT-1' })
    expect(flat.status).toBe(400)
    expect(await flat.json()).toMatchObject({
      scimType: 'invalidSyntax',
      detail: `serialNumber: a device has no such attribute here. Send it below "${scimSerial}"`,
    })
    const standing = { id: 'theirs', meta: { resourceType: 'Device' }, externalId: 'ext-1', mudUrl: 'https://mud.example/1' }
    expect((await scim(client, 'POST', '', { ...told('FLAT-2', 'Whole'), ...standing })).status).toBe(201)
    expect(await rowsOf('Flat')).toEqual([])
  })
})

describe('One serial number from a file, a SCIM client and a system that manages devices', () => {
  test('makes one conflict, which a person merges, takes back and decides again', async () => {
    await imported('name,serial,type\nLaptop of Lea,SHARED-9,Laptop\n')
    const client = await acme.person({ permissions: ['deviceView', 'deviceAdd', 'deviceEdit'] })
    const posted = await scim(client, 'POST', '', told('shared-9', 'lea-laptop'))
    expect(posted.status).toBe(201)
    const { id: scimId } = (await posted.json()) as { id: string }
    mdm.devices = [
      { id: 'm1', deviceName: 'LEA-LAPTOP', serialNumber: 'SHARED-9', operatingSystem: 'Windows' },
      { id: 'm2', deviceName: 'Phone', serialNumber: 'OTHER-1', operatingSystem: 'iOS' },
      { id: 'm3', deviceName: 'Filler', serialNumber: 'Default string', operatingSystem: 'Windows' },
    ]
    const { id: sourceId } = await ada.call(calls.addSource, {
      name: 'MDM',
      url: mdm.url,
      roots: mdm.roots,
      deviceType: 'Laptop',
      token: 'secret',
    })
    const wrongRoots = { name: 'Wrong', url: mdm.url, roots: 'rubbish', deviceType: 'Laptop', token: 'secret' }
    await expect(ada.call(calls.addSource, wrongRoots)).rejects.toMatchObject({ fields: [{ field: 'roots' }] })
    expect(await ada.call(calls.syncSource, { id: sourceId })).toEqual({ seen: 3, added: 3, changed: 0, refused: 0 })
    expect(await ada.call(calls.syncSource, { id: sourceId })).toEqual({ seen: 3, added: 0, changed: 0, refused: 0 })

    const { rows, total } = await ada.call(calls.conflicts, { state: ['open'] })
    expect(total).toBe(1)
    const [conflict] = rows
    expect(conflict).toMatchObject({ kind: 'serial', value: 'SHARED-9' })
    expect(conflict?.devices.map(({ source }) => source).toSorted()).toEqual(['csv', 'mdm', 'scim'])
    const keepId = conflict?.devices.find(({ source }) => source === 'csv')?.id ?? ''
    const conflictId = conflict?.id ?? ''
    await ada.call(calls.merge, { conflictId, keepId })
    expect((await rowsOf('SHARED-9')).map((row) => row.id)).toEqual([keepId])
    expect((await ada.call(calls.read, { id: keepId })).claims).toMatchObject([
      { kind: 'serial', sources: ['csv', 'mdm', 'scim'], shared: false },
    ])
    // Both programs go on telling of the kept device under their own ids.
    expect((await scim(client, 'GET', `/${scimId}`)).status).toBe(200)
    expect(await ada.call(calls.syncSource, { id: sourceId })).toMatchObject({ added: 0 })
    expect((await ada.call(calls.conflicts, { state: ['open'] })).total).toBe(0)
    await expect(ada.call(calls.merge, { conflictId, keepId })).rejects.toMatchObject({ code: 'decided' })

    await ada.call(calls.undoMerge, { conflictId })
    expect((await rowsOf('SHARED-9')).map(({ source }) => source).toSorted()).toEqual(['csv', 'mdm', 'scim'])
    await ada.call(calls.syncSource, { id: sourceId })
    expect((await ada.call(calls.conflicts, { state: ['open'] })).total).toBe(0)
  })

  test('is taken back merge by merge, with what its sources said in between', async () => {
    const her = (await house.tenancy('Merges')).administrator
    const add = async (name: string, ...serials: string[]) =>
      (
        await her.call(calls.add, {
          name,
          type: 'Server',
          identifiers: serials.map((value) => ({ kind: 'serial' as const, value })),
          endpoints: [{ name: `Web of ${name}`, address: '10.1.1.9' }],
        })
      ).id
    const endpointsOf = async (id: string) => (await her.call(calls.endpoints, { id })).deviceEndpoints.map(({ name }) => name).toSorted()
    const decide = async (keepId: string) => {
      const [open] = (await her.call(calls.conflicts, { state: ['open'] })).rows
      await her.call(calls.merge, { conflictId: open?.id ?? '', keepId })
      return open?.id ?? ''
    }
    const one = await add('One', 'ME-1')
    const two = await add('Two', 'ME-1', 'ME-2')
    const first = await decide(two)
    const three = await add('Three', 'ME-2')
    const second = await decide(three)
    expect(await endpointsOf(three)).toEqual(['Web of One', 'Web of Three', 'Web of Two'])
    const { version } = await her.call(calls.read, { id: three })
    const { deviceEndpoints } = await her.call(calls.endpoints, { id: three })
    const identifiers = ['ME-1', 'ME-2'].map((value) => ({ kind: 'serial' as const, value }))
    await her.call(calls.change, { id: three, version, name: 'Three', type: 'Server', identifiers, endpoints: deviceEndpoints })
    await expect(her.call(calls.undoMerge, { conflictId: first })).rejects.toMatchObject({ code: 'notMerged' })
    await her.call(calls.undoMerge, { conflictId: second })
    await her.call(calls.undoMerge, { conflictId: first })
    for (const [id, name, serials] of [
      [one, 'One', ['ME-1']],
      [two, 'Two', ['ME-1', 'ME-2']],
      [three, 'Three', ['ME-2']],
    ] as const) {
      expect(await endpointsOf(id)).toEqual([`Web of ${name}`])
      expect((await her.call(calls.read, { id })).claims.map(({ value }) => value)).toEqual(serials)
    }
  })

  test('told by two clients to one device stays while one of them still tells it', async () => {
    const tenancy = await house.tenancy('Two clients')
    const permissions = ['deviceView', 'deviceAdd', 'deviceEdit'] as const
    const [first, second] = [await tenancy.person({ permissions }), await tenancy.person({ permissions })]
    const post = async (by: TestPerson) => ((await (await scim(by, 'POST', '', told('TWO-1', 'shared'))).json()) as { id: string }).id
    const [firstId, secondId] = [await post(first), await post(second)]
    const her = tenancy.administrator
    const [open] = (await her.call(calls.conflicts, { state: ['open'] })).rows
    const keepId = open?.devices[0]?.id ?? ''
    await her.call(calls.merge, { conflictId: open?.id ?? '', keepId })
    // The one that changes its mind takes nothing from the other.
    await scim(first, 'PUT', `/${firstId}`, told('TWO-9', 'shared'))
    expect((await her.call(calls.read, { id: keepId })).claims.map(({ value }) => value)).toEqual(['TWO-1', 'TWO-9'])
    await scim(first, 'DELETE', `/${firstId}`)
    expect(await her.call(calls.read, { id: keepId })).toMatchObject({ status: 'active', claims: [{ value: 'TWO-1' }] })
    await scim(second, 'DELETE', `/${secondId}`)
    expect(await her.call(calls.read, { id: keepId })).toMatchObject({ status: 'retired', claims: [] })
  })

  test('is kept apart until a further device claims it', async () => {
    for (const name of ['Twin 1', 'Twin 2'])
      await ada.call(calls.add, { name, type: 'Server', identifiers: [{ kind: 'asset', value: 'TWIN' }] })
    const [conflict] = (await ada.call(calls.conflicts, { state: ['open'] })).rows
    await ada.call(calls.keepApart, { conflictId: conflict?.id ?? '' })
    expect((await ada.call(calls.conflicts, { state: ['open'] })).total).toBe(0)
    const { id, conflicts } = await ada.call(calls.add, { name: 'Twin 3', type: 'Server', identifiers: [{ kind: 'asset', value: 'twin' }] })
    expect(conflicts).toBe(1)
    await ada.call(calls.remove, { id })
    const [left] = (await ada.call(calls.conflicts, { state: ['open'] })).rows
    expect(left?.devices.length).toBe(2)
  })

  test('claimed at the same moment by two makes a conflict all the same', async () => {
    const add = (name: string) => ada.call(calls.add, { name, type: 'Server', identifiers: [{ kind: 'serial', value: 'AT-ONCE' }] })
    const answers = await Promise.all([add('Once 1'), add('Once 2'), add('Once 3')])
    expect(answers.map(({ conflicts }) => conflicts).toSorted()).toEqual([0, 1, 1])
  })
})

describe('An import of devices', () => {
  test('says all faults by row and column, applies the rest, and tells its numbers', async () => {
    const importId = await imported(
      'Device name;Serial no;Type;MAC;Username\nGood 1;G-1;Laptop;001b44113ab8;\nBad;N/A;Spaceship;00:00:00:00:00:00;nobody\nGood 2;G-2;;;\n',
    )
    expect((await ada.call(calls.uploadStats, { importId })).csvUploadStats).toEqual({
      rows: 3,
      ok: 2,
      created: 2,
      updated: 0,
      unchanged: 0,
      skipped: 1,
      failed: 0,
    })
    const { faults } = await ada.call(calls.readImport, { importId })
    expect(faults.map(({ row, column }) => `${row} ${column}`).toSorted()).toEqual(['3 MAC address', '3 Serial number'])
    await ada.call(calls.undoImport, { importId })
    await house.runJob(devices.jobs.imports)
    expect(await rowsOf('Good')).toEqual([])
  })

  test('is undone only where nobody has changed, merged or brought anything since', async () => {
    const her = (await house.tenancy('Undone')).administrator
    const add = (name: string, identifiers: readonly { kind: 'asset' | 'fqdn' | 'serial'; value: string }[]) =>
      her.call(calls.add, { name, type: 'Laptop', identifiers: [...identifiers] })
    const restored = await add('Old name', [
      { kind: 'asset', value: 'UN-1' },
      { kind: 'fqdn', value: 'un1.example.org' },
    ])
    const later = await add('Old later', [{ kind: 'asset', value: 'UN-2' }])
    const importId = await imported('name,asset,serial\nNew name,UN-1,\nNew later,UN-2,\nEdited,,\nKept,,UN-3\nUntouched,,UN-4\n', her)
    const idOf = async (name: string) => (await rowsOf(name, her))[0]?.id ?? ''
    await her.call(calls.change, { id: await idOf('Edited'), name: 'Edited', note: 'By hand', type: 'Laptop' })
    await her.call(calls.changeMany, { selectAll: false, inclusionList: [later.id], exclusionList: [], query: {}, status: 'lost' })
    await add('Dropped', [{ kind: 'serial', value: 'UN-3' }])
    const { rows } = await her.call(calls.conflicts, {})
    await her.call(calls.merge, { conflictId: rows[0]?.id ?? '', keepId: await idOf('Kept') })
    await her.call(calls.undoImport, { importId })
    await house.runJob(devices.jobs.imports)
    const left = (await her.call(calls.search, {})).rows.map(({ name, status }) => `${name} ${status}`)
    expect(left.toSorted()).toEqual(['Edited active', 'Kept active', 'New later lost', 'Old name active'])
    expect((await her.call(calls.read, { id: restored.id })).claims.map(({ kind }) => kind).toSorted()).toEqual(['asset', 'fqdn'])
    const { faults } = await her.call(calls.readImport, { importId })
    expect(faults.map(({ row, says }) => `${row} ${says}`).toSorted()).toEqual([
      '3 Somebody has changed it since, so it stays',
      '4 Somebody has changed it since, so it stays',
      '5 Another device was merged into it since, so it stays',
    ])
  })

  test('of the own export changes nothing, and of the same rows twice neither', async () => {
    const her = (await house.tenancy('Round trip')).administrator
    await imported('name,serial\n=HYPERLINK,RT-1\n', her)
    const text = await (await her.fetch(devices.endpoints.export.path)).text()
    expect(text).toContain("'=HYPERLINK")
    for (const file of [text, 'name,serial\n=HYPERLINK,RT-1\n']) {
      const { importId, mapping } = await her.call(calls.prepareImport, { fileName: 'devices.csv', file: base64(file) })
      await her.call(calls.checkImport, { importId, mapping })
      await house.runJob(devices.jobs.imports)
      expect(await her.call(calls.readImport, { importId })).toMatchObject({ fresh: 0, changed: 0, faulty: 0 })
    }
  })
})

describe('A SCIM client', () => {
  test('sees what it brought, changes and deletes it, and nobody else does', async () => {
    const permissions = ['deviceView', 'deviceAdd', 'deviceEdit'] as const
    const [client, stranger] = [await acme.person({ permissions }), await acme.person({ permissions })]
    const { id } = (await (await scim(client, 'POST', '', told('SC-1', 'sensor.example.org'))).json()) as { id: string }
    expect(await (await scim(client, 'GET', `/${id}`)).json()).toMatchObject({
      displayName: 'sensor.example.org',
      active: true,
      [scimSerial]: { serialNumber: 'SC-1' },
    })
    expect(await (await scim(client, 'GET')).json()).toMatchObject({ totalResults: 1 })
    for (const [method, body] of [['GET'], ['PUT', told('SC-1')], ['PATCH', { Operations: [] }], ['DELETE']] as const)
      expect((await scim(stranger, method, `/${id}`, body)).status).toBe(404)
    const patched = await scim(client, 'PATCH', `/${id}`, { Operations: [{ op: 'Replace', path: 'active', value: false }] })
    expect(await patched.json()).toMatchObject({ active: false })
    expect((await scim(client, 'DELETE', `/${id}`)).status).toBe(204)
    expect((await scim(client, 'GET', `/${id}`)).status).toBe(404)
    expect(await rowsOf('sensor.example.org')).toMatchObject([{ status: 'retired' }])
  })

  test('gets 400 for a hostile path, a filter, a wrong identifier and a body that is none', async () => {
    const client = await acme.person({ permissions: ['deviceView', 'deviceAdd', 'deviceEdit'] })
    const { id } = (await (await scim(client, 'POST', '', told('SC-2'))).json()) as { id: string }
    const operations = [{ op: 'replace', path: 'members[value eq "x"].__proto__', value: 'x' }]
    for (const answer of [
      await scim(client, 'PATCH', `/${id}`, { Operations: operations }),
      await scim(client, 'GET', `?filter=${'('.repeat(2_000)}`),
      await scim(client, 'POST', '', told('None')),
      await scim(client, 'POST', '', { schemas: ['urn:other'] }),
      await client.fetch('/scim/v2/Devices', { method: 'POST', body: 'no json' }),
    ]) {
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'] })
    }
  })
})

describe('A system that manages devices', () => {
  test('gets its token at its own server only, and its failure is told', async () => {
    const { id } = await ada.call(calls.addSource, {
      name: 'Astray',
      url: mdm.url,
      roots: mdm.roots,
      deviceType: 'Laptop',
      token: 'secret',
    })
    mdm.nextOrigin = 'https://127.0.0.1:1'
    await expect(ada.call(calls.syncSource, { id })).rejects.toMatchObject({ code: 'unreachable' })
    mdm.nextOrigin = undefined
    mdm.token = 'another'
    await expect(ada.call(calls.syncSource, { id })).rejects.toMatchObject({ code: 'unreachable' })
    mdm.token = 'secret'
    const [row] = (await ada.call(calls.searchSources, { text: 'Astray' })).rows
    expect(row).toMatchObject({ state: 'failed', says: 'it answered with status 401' })
    expect(JSON.stringify(row)).not.toContain('secret')
    const draft = { id, name: 'Astray', roots: mdm.roots, deviceType: 'Laptop' }
    await expect(ada.call(calls.changeSource, { ...draft, url: `${mdm.url}/elsewhere` })).rejects.toMatchObject({ code: 'tokenNeeded' })
    await expect(
      ada.call(calls.addSource, { name: 'Metadata', url: 'https://169.254.169.254/', deviceType: 'Laptop', token: 'x' }),
    ).rejects.toMatchObject({ code: 'refused' })
  })

  test('that does not come to its end is given up, and holds nobody up again in the same run', async () => {
    const her = (await house.tenancy('Patience')).administrator
    const { id } = await her.call(calls.addSource, { name: 'Slow', url: mdm.url, roots: mdm.roots, deviceType: 'Laptop', token: 'secret' })
    const time = new AbortController()
    mdm.silent = () => time.abort()
    try {
      await expect(sync(house.house, her.tenantId, id, time.signal)).rejects.toThrow('it answers too slowly')
    } finally {
      mdm.silent = undefined
    }
    const asked = mdm.seen.length
    const due = { house: house.house, tenantId: her.tenantId, until: performance.now() + 60_000 }
    await syncDue(due)
    expect(mdm.seen.length).toBe(asked)
    house.clock.advance(3_600_000)
    // What the time did not reach is for the next turn.
    expect(await syncDue({ ...due, until: 0 })).toBe('more')
    await syncDue(due)
    expect((await her.call(calls.searchSources, { text: 'Slow' })).rows).toMatchObject([{ state: 'done', says: '' }])
  })

  test('changes what it says otherwise than before, and nothing that a person wrote since', async () => {
    const her = (await house.tenancy('Word of a person')).administrator
    const source = { name: 'MDM', url: mdm.url, roots: mdm.roots, deviceType: 'Laptop', token: 'secret' }
    const { id: sourceId } = await her.call(calls.addSource, source)
    const tell = async (deviceName: string) => {
      mdm.devices = [{ id: 'w1', deviceName, serialNumber: 'WO-1', operatingSystem: 'iOS' }]
      await her.call(calls.syncSource, { id: sourceId })
      return (await rowsOf('WO-1', her))[0]
    }
    const id = (await tell('Phone'))?.id ?? ''
    await her.call(calls.changeMany, { selectAll: false, inclusionList: [id], exclusionList: [], query: {}, status: 'lost' })
    expect(await tell('Phone')).toMatchObject({ name: 'Phone', status: 'lost' })
    expect(await tell('Phone of Lea')).toMatchObject({ name: 'Phone of Lea', status: 'lost' })
  })
})
