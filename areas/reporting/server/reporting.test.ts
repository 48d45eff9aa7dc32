import { afterAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { dayText } from '#core/contract/days.ts'
import { noonOfYesterday, useHouse, type TestPerson } from '#core/testing/house.ts'
import { reporting } from '../contract.ts'

const tools = openSsl()

const house = await useHouse({ now: noonOfYesterday() })
const pki = await openIssuing(house, tools, 'Acme')
const ada = pki.tenancy.administrator
afterAll(async () => {
  tools.close()
})

const report = (
  days: { first: string; last: string },
  by: 'authority' | 'template' | 'requester' | 'class' = 'authority',
  who: TestPerson = ada,
) => who.call(reporting.calls.certificates, { by, ...days })

describe('The certificate report', () => {
  test('counts what the lists behind it count', async () => {
    const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0 })
    const issue = async () =>
      (await ada.call(certificates.calls.request, { entity: 'device', templateId, csr: tools.csr().csr })).certificateId ?? ''
    const [first = ''] = [await issue(), await issue(), await issue()]
    await ada.call(revocation.calls.revoke, { certId: first, reason: 'superseded' })
    const today = dayText(house.clock.now())
    const { rows, totals } = await report({ first: today, last: today })
    expect(rows).toEqual([{ key: pki.caId, label: 'Acme Issuing', issued: 3, revoked: 1, ended: 0, valid: 2 }])
    expect(totals).toEqual({ issued: 3, revoked: 1, ended: 0, valid: 2 })
    const tomorrow = dayText(new Date(house.clock.now().getTime() + 86_400_000))
    const { total } = await ada.call(certificates.calls.search, {
      caId: [pki.caId],
      issued: `${today}T00:00:00.000Z/${tomorrow}T00:00:00.000Z`,
    })
    expect(total).toBe(3)
    expect((await report({ first: tomorrow, last: tomorrow })).totals).toEqual({ issued: 0, revoked: 0, ended: 0, valid: 2 })

    const end = dayText(new Date(house.clock.now().getTime() + 370 * 86_400_000))
    expect((await report({ first: tomorrow, last: end }, 'template')).rows).toMatchObject([{ key: templateId, ended: 2 }])
    expect((await report({ first: today, last: today }, 'requester')).rows).toMatchObject([{ key: ada.id, issued: 3 }])
    expect((await report({ first: today, last: today }, 'class')).rows).toMatchObject([{ key: 'DEVICE', issued: 3 }])
  })

  test('is of the own tenancy only, and needs its permission', async () => {
    const stranger = (await house.tenancy('Globex')).administrator
    const today = dayText(house.clock.now())
    expect((await report({ first: today, last: today }, 'authority', stranger)).rows).toEqual([])
    await expect(report({ first: today, last: today }, 'authority', pki.eve)).rejects.toMatchObject({ status: 403 })
  })

  test.each([
    ['2026-02-02', '2026-02-01'],
    ['1990-01-01', '2026-01-01'],
    ['2026-02-30', '2026-03-01'],
  ])('of a period from %s to %s is refused', async (first, last) => {
    await expect(report({ first, last })).rejects.toMatchObject({ status: 400 })
  })
})
