// The fields of an external authority. The same ones add and edit.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CheckboxField, PasswordField, SelectField, TagsField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { FormSection } from '#core/console/kit/LongForm.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { ordering } from '../contract.ts'
import { knownAuthorities } from '../rules.ts'

export type AuthorityValues = {
  name: string
  directoryUrl: string
  roots: string
  contact: string[]
  eabKid: string
  eabSecret: string
  preferredChain: string
  agreed: boolean
}

const own = ''

export function AuthorityFields({ form, isNew }: { form: FormKit<AuthorityValues>; isNew: boolean }) {
  const { values } = form
  const known = knownAuthorities.find(({ directoryUrl }) => directoryUrl === values.directoryUrl)
  const choose = (directoryUrl: string): void => {
    const chosen = knownAuthorities.find((one) => one.directoryUrl === directoryUrl)
    form.set('directoryUrl', directoryUrl)
    if (chosen !== undefined && (values.name === '' || knownAuthorities.some(({ name }) => name === values.name)))
      form.set('name', chosen.name)
  }
  return (
    <>
      <FormSection title={t('Authority')}>
        {isNew && (
          <SelectField
            name="known"
            label={t('Known authorities')}
            value={known?.directoryUrl ?? own}
            onChange={(value) => choose(value ?? own)}
            onBlur={() => {}}
            error={undefined}
            options={[
              { value: own, label: t('Another one') },
              ...knownAuthorities.map(({ name, directoryUrl }) => ({ value: directoryUrl, label: name })),
            ]}
            {...(known === undefined ? {} : { hint: t(known.says) })}
          />
        )}
        <TextField {...form.field('name')} label={t('Name')} required />
        <TextField
          {...form.field('directoryUrl')}
          label={t('Directory')}
          type="url"
          hint={t('The address of its ACME directory')}
          required
        />
        <DirectoryCheck directoryUrl={values.directoryUrl} roots={values.roots} />
        <CheckboxField {...form.field('agreed')} label={t('I agree to the terms of service of this authority')} />
      </FormSection>
      <FormSection title={t('Account')}>
        <TagsField
          {...form.field('contact')}
          error={form.error('contact') ?? values.contact.map((_, at) => form.error(`contact.${at}`)).find((wrong) => wrong !== undefined)}
          label={t('Contact')}
          hint={t('E-mail addresses that the authority may write to')}
        />
        <TextField {...form.field('eabKid')} label={t('EAB key id')} hint={t('Of an external account, where the authority wants one')} />
        <PasswordField
          {...form.field('eabSecret')}
          label={t('EAB HMAC key')}
          autoComplete="off"
          {...(isNew ? {} : { hint: t('Empty: the one that is stored stays') })}
        />
      </FormSection>
      <FormSection title={t('Chain and trust')} folded={values.roots === '' ? t('Public roots') : t('Roots of its own')}>
        <TextField
          {...form.field('preferredChain')}
          label={t('Preferred chain')}
          hint={t('The name of a root or issuer, where the authority offers several chains')}
        />
        <TextAreaField
          {...form.field('roots')}
          label={t('Roots of its web server')}
          hint={t('PEM, of a private authority. Empty: the public roots')}
          rows={6}
        />
      </FormSection>
    </>
  )
}

type Facts = OutputOf<typeof ordering.calls.checkDirectory>

function DirectoryCheck({ directoryUrl, roots }: { directoryUrl: string; roots: string }) {
  const check = useSend(ordering.calls.checkDirectory)
  const [found, setFound] = useState<{ of: string; facts: Facts }>()
  const read = async (): Promise<void> => {
    const facts = await check.run({ directoryUrl, roots }).catch(() => undefined)
    setFound(facts === undefined ? undefined : { of: directoryUrl, facts })
  }
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" size="xs" loading={check.pending} disabled={directoryUrl === ''} onClick={() => void read()}>
          {t('Read directory')}
        </Button>
      </Group>
      <FaultAlert fault={check.fault} />
      {found?.of === directoryUrl && (
        <Alert color="green" variant="light" title={t('The directory answers')}>
          {found.facts.termsOfService !== undefined && (
            <Text size="sm">
              {t('Terms of service:')}{' '}
              <a href={found.facts.termsOfService} target="_blank" rel="noopener noreferrer">
                {found.facts.termsOfService}
              </a>
            </Text>
          )}
          <Text size="sm">{found.facts.eabRequired ? t('It wants an EAB key.') : t('It wants no EAB key.')}</Text>
          <Text size="sm">{found.facts.renewalInformation ? t('It says when to renew (ARI).') : t('It does not say when to renew.')}</Text>
          {found.facts.profiles.length > 0 && (
            <Text size="sm">{t('Profiles: {names}', { names: found.facts.profiles.map(({ name }) => name).join(', ') })}</Text>
          )}
        </Alert>
      )}
    </Stack>
  )
}
