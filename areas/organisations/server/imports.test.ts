import { beforeAll, describe, expect, test } from 'vitest'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { organisations } from '../contract.ts'

const house = await useHouse()
let ada: TestPerson
const { add, change, search, read, parents, prepareImport, checkImport, readImport, listImports, startImport, undoImport, setOfPerson } =
  organisations.calls

beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
})

const base64 = (text: string) => Buffer.from(text).toString('base64')

async function checked(text: string): Promise<string> {
  const { importId, mapping } = await ada.call(prepareImport, { fileName: 'tree.csv', file: base64(text) })
  await ada.call(checkImport, { importId, mapping })
  await house.runJob(organisations.jobs.imports)
  return importId
}
async function ran(text: string): Promise<string> {
  const importId = await checked(text)
  await ada.call(startImport, { importId, skipFaulty: true })
  await house.runJob(organisations.jobs.imports)
  return importId
}
const idOf = async (name: string): Promise<string> => (await ada.call(search, { text: name })).rows[0]?.id ?? ''
const lineOf = async (name: string) => (await ada.call(parents, { id: await idOf(name) })).map((one) => one.name).join(' › ')

describe('An import of organisations', () => {
  test('says all faults at once, by row and column, and what it would do, before anything is done', async () => {
    await ada.call(add, { name: 'There already' })
    const importId = await checked(
      'Name,Above,Type,Country\nThere already,,organisation,\nNew one,There already,team,AU\n,,team,\nOdd,,shed,Atlantis\n',
    )
    expect(await ada.call(readImport, { importId })).toMatchObject({
      status: 'checked',
      good: 2,
      faulty: 2,
      fresh: 1,
      same: 1,
      faults: [
        { row: 4, column: 'Name' },
        { row: 5, column: 'Type', value: 'shed' },
        { row: 5, column: 'Country', value: 'Atlantis', says: 'Enter the two letters of the country' },
      ],
    })
    expect((await ada.call(search, { text: 'New one' })).total).toBe(0)
  })

  test('puts each below one that is there or stands in the file, names loops and what is unknown, and makes what the check counted', async () => {
    const importId = await checked(
      'Name,Above\nAlpha deep,Alpha north\nAlpha north,Alpha\nAlpha,\nLost,Nowhere\nLoop a,Loop b\nLoop b,Loop a\nSelf,Self\nalpha north,alpha\n',
    )
    const { fresh, faults } = await ada.call(readImport, { importId })
    expect(fresh).toBe(3)
    expect(faults.map(({ row, column, says }) => ({ row, column, says }))).toEqual([
      { row: 5, column: 'Above', says: 'There is no organisation Nowhere, here or in this file' },
      { row: 6, column: 'Above', says: 'These stand above one another: Loop a, Loop b' },
      { row: 7, column: 'Above', says: 'These stand above one another: Loop a, Loop b' },
      { row: 8, column: 'Above', says: 'It stands above itself' },
      { row: 9, column: 'Name', says: 'The same organisation stands in row 3' },
    ])
    const before = (await ada.call(search, {})).total
    await ada.call(startImport, { importId, skipFaulty: true })
    await house.runJob(organisations.jobs.imports)
    expect(await ada.call(readImport, { importId })).toMatchObject({ applied: 3, failed: 0 })
    expect((await ada.call(search, {})).total).toBe(before + 3)
    expect(await lineOf('Alpha deep')).toBe('Alpha › Alpha north › Alpha deep')
    await ada.call(add, { name: 'Alpha north' })
    await ada.call(add, { name: 'Beta' })
    await ada.call(add, { name: 'Twin', parentId: await idOf('Beta') })
    await ada.call(add, { name: 'Twin', parentId: await idOf('Alpha deep') })
    const ambiguous = await checked('Name,Above\nChild,Twin\nOther child,Beta › Twin\n')
    expect(await ada.call(readImport, { importId: ambiguous })).toMatchObject({
      fresh: 1,
      faults: [{ row: 2, says: expect.stringMatching(/^Several are called Twin/) }],
    })
    await ada.call(undoImport, { importId })
    await house.runJob(organisations.jobs.imports)
    // One hangs below it by now, so it stays with those above it.
    expect((await ada.call(search, { text: 'Alpha deep' })).total).toBe(1)
  })

  test('makes those above first, keeps a wrong business number as wrong, and is undone, but for what is used since', async () => {
    const importId = await ran(
      'name;parent;country;ABN\nCellar;Vault › Floor;AU;51824753557\nAttic;Vault;AU;51824753556\nFloor;Vault;;\nVault;;;\n',
    )
    expect(await lineOf('Cellar')).toBe('Vault › Floor › Cellar')
    expect(await ada.call(read, { id: await idOf('Cellar') })).toMatchObject({ numberFault: expect.stringMatching(/check digits/) })
    expect(await ada.call(read, { id: await idOf('Attic') })).toMatchObject({ businessNumber: '51 824 753 556', numberFault: '' })
    await ada.call(setOfPerson, { userId: ada.id, organisationIds: [await idOf('Attic')] })
    await ada.call(undoImport, { importId })
    await house.runJob(organisations.jobs.imports)
    expect(await ada.call(readImport, { importId })).toMatchObject({ status: 'undone' })
    expect((await ada.call(search, { text: 'Cellar' })).total).toBe(0)
    expect(await lineOf('Attic')).toBe('Vault › Attic')
  })

  test('takes nothing back that somebody has edited since, and names it', async () => {
    const was = await ada.call(add, { name: 'Depot', note: 'Old' })
    const importId = await ran('name,note\nDepot,New\nHangar,Made\nShed,Made\n')
    for (const name of ['Depot', 'Hangar']) {
      const { id, version } = await ada.call(read, { id: await idOf(name) })
      await ada.call(change, { id, version, name, note: 'Edited' })
    }
    await ada.call(undoImport, { importId })
    await house.runJob(organisations.jobs.imports)
    expect((await ada.call(read, { id: was.id })).note).toBe('Edited')
    expect((await ada.call(search, { text: 'Hangar' })).total).toBe(1)
    expect((await ada.call(search, { text: 'Shed' })).total).toBe(0)
    const says = 'Changed since the import, so it stays: note'
    expect((await ada.call(readImport, { importId })).faults).toMatchObject([{ says }, { says }])
  })

  test('is found again with its result, and until when it can be undone, by whoever may import here', async () => {
    const importId = await ran('name,above\nFound again,\nNot made,Nobody knows\n')
    const [latest] = await ada.call(listImports, {})
    expect(latest).toMatchObject({ importId, fileName: 'tree.csv', status: 'done', applied: 1, faulty: 1, undoUntil: expect.any(String) })
    await ada.call(undoImport, { importId })
    await house.runJob(organisations.jobs.imports)
    const [after] = await ada.call(listImports, {})
    expect([after?.status, after?.undoUntil]).toEqual(['undone', undefined])
    const other = await house.tenancy('Initech')
    expect(await other.administrator.call(listImports, {})).toEqual([])
  })

  test('of the own export changes nothing, also where a name looks like a formula', async () => {
    await ada.call(add, { name: '=SUM(A1)', note: '-1' })
    const text = await (await ada.fetch(organisations.endpoints.export.path)).text()
    const importId = await checked(text)
    expect(await ada.call(readImport, { importId })).toMatchObject({ fresh: 0, changed: 0, faulty: 0 })
  })

  test('moves nothing, and finds by its id what has another name', async () => {
    const id = (await ada.call(add, { name: 'Before' })).id
    const importId = await checked(`id,name,above\n${id},After,Elsewhere\n`)
    expect((await ada.call(readImport, { importId })).faults).toMatchObject([{ column: 'Above' }])
    await ran(`id,name\n${id},After\n`)
    expect((await ada.call(read, { id })).name).toBe('After')
  })

  test('of another tenancy is missing, and one without the right to edit prepares none', async () => {
    const importId = await checked('name\nPrivate\n')
    const globex = await house.tenancy('Globex')
    await expect(globex.administrator.call(readImport, { importId })).rejects.toMatchObject({ status: 404 })
    const adder = await globex.person({ permissions: ['orgAdd'] })
    await expect(adder.call(prepareImport, { fileName: 'a.csv', file: base64('name\nA\n') })).rejects.toMatchObject({ status: 403 })
  })
})
