import { screen, within } from '@testing-library/react'
import { execFileSync } from 'node:child_process'
import { beforeEach, expect, test } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'
import { UploadCertificates } from './UploadCertificates.tsx'

const selfSigned = (name: string) =>
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null', '-subj', `/CN=${name}`],
    { stdio: 'pipe' },
  ).toString()
const certificate = selfSigned('printer.acme.example')

const { house, as } = await houseForScreens()
const ada = await (await house.tenancy('Acme')).person({ permissions: ['certUpload', 'certView'] })
beforeEach(() => as(ada))

const open = () => showScreen(<UploadCertificates />, { at: '/credentials/certificates/upload' })

test('what was pasted is shown, then saved, then stands where it can be opened', async () => {
  const { user } = open()
  await expectAccessible()
  await user.click(screen.getByRole('textbox', { name: /^Certificates/ }))
  await user.paste(certificate)
  const table = within(await screen.findByRole('table', { name: 'What is in it' }))
  expect(table.getByText('New')).toBeDefined()
  await expectAccessible()
  await user.click(screen.getByRole('button', { name: 'Save certificates' }))
  expect(await screen.findByText('1 certificate saved')).toBeDefined()
  expect(screen.getByRole('link', { name: 'printer.acme.example' }).getAttribute('href')).toMatch(/^\/credentials\/certificates\/view\//)
  await expectAccessible()
})

test('of several files those that are right are saved, and each other one is named with its reason, before and after', async () => {
  const { user } = open()
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  input?.removeAttribute('accept')
  const der = Buffer.from(selfSigned('binary.acme.example').replaceAll(/-----.*-----|\s/g, ''), 'base64')
  const keys = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----'
  const files = [
    new File([selfSigned('first.acme.example')], 'first.pem'),
    new File(['Dear Ada'], 'letter.txt'),
    new File([keys], 'server.key'),
    new File([der], 'binary.der'),
    new File([selfSigned('second.acme.example')], 'first.pem'),
  ]
  await user.upload(input ?? document.body, files)
  const table = within(await screen.findByRole('table', { name: 'What is in it' }))
  for (const file of ['first.pem', 'first.pem (2)', 'binary.der']) expect(table.getByText(file)).toBeDefined()
  expect(screen.getByText(/^server\.key holds a private key\. It was not sent/)).toBeDefined()
  expect(screen.getByText(/^letter\.txt: This is not a certificate that can be read/)).toBeDefined()
  await expectAccessible()
  await user.click(screen.getByRole('button', { name: 'Remove first.pem (2)' }))
  await user.click(screen.getByRole('button', { name: 'Save certificates' }))
  expect(await screen.findByText('2 certificates saved')).toBeDefined()
  expect(screen.getByText(/^server\.key holds a private key/)).toBeDefined()
  expect(screen.getByText(/^letter\.txt: /)).toBeDefined()
  await expectAccessible()
})

test('a private key is stopped before anything is sent', async () => {
  const { user } = open()
  await user.click(screen.getByRole('textbox', { name: /^Certificates/ }))
  await user.paste('-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----')
  expect(await screen.findByText(/This is a private key. It was not sent/)).toBeDefined()
  expect((screen.getByRole('textbox', { name: /^Certificates/ }) as HTMLTextAreaElement).value).toBe('')
})
