// The fields of a DNS responder. The same ones add and edit; each kind has its own.

import { NumberField, PasswordField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { FormSection } from '#core/console/kit/LongForm.tsx'
import { t } from '#core/console/text.ts'
import type { InputOf } from '#core/contract/contract.ts'
import { tsigAlgorithmNames, type TsigAlgorithm } from '#standards/dns/algorithms.ts'
import type { ordering } from '../contract.ts'
import { responderKinds, type ResponderKind } from '../rules.ts'
import { responderLabels } from './order-words.ts'

type Draft = InputOf<typeof ordering.calls.addResponder>
type Settings = Draft['settings']

/** The fields of all kinds, so that a change of the kind loses nothing that was typed. */
export type ResponderValues = {
  name: string
  waitSeconds: number
  secret: string
  settings: {
    kind: ResponderKind
    server: string
    zone: string
    keyName: string
    algorithm: TsigAlgorithm
    ttl: number
    url: string
    username: string
    subdomain: string
  }
}

const blank: ResponderValues['settings'] = {
  kind: 'rfc2136',
  server: '',
  zone: '',
  keyName: '',
  algorithm: 'hmac-sha256',
  ttl: 60,
  url: '',
  username: '',
  subdomain: '',
}

export const newResponder: ResponderValues = { name: '', waitSeconds: 30, secret: '', settings: blank }

export const valuesOf = ({ name, waitSeconds, settings }: { name: string; waitSeconds: number; settings: Settings }): ResponderValues => ({
  name,
  waitSeconds,
  secret: '',
  settings: { ...blank, ...settings },
})

export function settingsOf({
  kind,
  server,
  zone,
  keyName,
  algorithm,
  ttl,
  url,
  username,
  subdomain,
}: ResponderValues['settings']): Settings {
  if (kind === 'rfc2136') return { kind, server, zone, keyName, algorithm, ttl }
  return kind === 'acmeDns' ? { kind, url, username, subdomain } : { kind, url, username }
}

export function ResponderFields({ form, isNew }: { form: FormKit<ResponderValues>; isNew: boolean }) {
  const { kind } = form.values.settings
  const stays = isNew ? {} : { hint: t('Empty: the one that is stored stays') }
  return (
    <FormSection title={t('DNS responder')}>
      <TextField {...form.field('name')} label={t('Name')} required />
      <SelectField
        {...form.field('settings.kind')}
        label={t('Kind')}
        options={responderKinds.map((value) => ({ value, label: t(responderLabels[value]) }))}
      />
      {kind === 'rfc2136' && (
        <>
          <TextField
            {...form.field('settings.server')}
            label={t('Name server')}
            hint={t('The primary one, such as ns1.example.org or 192.0.2.53:5353')}
            required
          />
          <TextField {...form.field('settings.zone')} label={t('Zone')} hint={t('Such as example.org')} required />
          <TextField {...form.field('settings.keyName')} label={t('Name of the key (TSIG)')} required />
          <SelectField
            {...form.field('settings.algorithm')}
            label={t('Algorithm')}
            options={tsigAlgorithmNames.map((value) => ({ value, label: value }))}
          />
          <PasswordField {...form.field('secret')} label={t('Secret of the key')} autoComplete="off" required={isNew} {...stays} />
          <NumberField {...form.field('settings.ttl')} label={t('Time to live of the record')} suffix={t('seconds')} min={1} max={86_400} />
        </>
      )}
      {kind === 'acmeDns' && (
        <>
          <TextField {...form.field('settings.url')} label={t('Address of acme-dns')} type="url" required />
          <TextField {...form.field('settings.username')} label={t('User (X-Api-User)')} required />
          <PasswordField {...form.field('secret')} label={t('Key (X-Api-Key)')} autoComplete="off" required={isNew} {...stays} />
          <TextField
            {...form.field('settings.subdomain')}
            label={t('Subdomain')}
            hint={t('_acme-challenge of each name must lead to it by a CNAME record')}
            required
          />
        </>
      )}
      {kind === 'webhook' && (
        <>
          <TextField
            {...form.field('settings.url')}
            label={t('Address')}
            type="url"
            hint={t('It gets /present and /cleanup with fqdn and value, as lego’s httpreq sends them')}
            required
          />
          <TextField {...form.field('settings.username')} label={t('Username')} />
          <PasswordField {...form.field('secret')} label={t('Password')} autoComplete="off" {...stays} />
        </>
      )}
      <NumberField
        {...form.field('waitSeconds')}
        label={t('Wait after a change')}
        hint={t('Until all name servers have the record')}
        suffix={t('seconds')}
        min={0}
        max={3_600}
      />
    </FormSection>
  )
}
