// The fields of a provider. The same ones add and edit.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconPlugConnected, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { roleOption } from '#areas/roles/role-options.tsx'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { MultiSelectField, PasswordField, RadioField, SelectField, SwitchField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { FormSection } from '#core/console/kit/LongForm.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import { sso } from '../contract.ts'
import { presetNames, presets, ruleOperators, type PresetName } from '../rules.ts'

export type ProviderValues = InputOf<typeof sso.calls.add>
type Choices = OutputOf<typeof sso.calls.choices>

export const newProvider = (preset: PresetName = 'entra'): ProviderValues => ({
  name: '',
  preset,
  issuer: presets[preset].issuer,
  clientId: '',
  clientSecret: '',
  clientAuthentication: 'secret',
  scopes: presets[preset].scopes,
  userInfo: presets[preset].userInfo,
  listed: false,
  domains: [],
  linkByAddress: false,
  createAccounts: false,
  requireRule: false,
  claims: { username: 'preferred_username', givenName: 'given_name', familyName: 'family_name' },
  rules: [],
  secondFactor: 'ask',
  strongAcr: presets[preset].strongAcr,
  strongAmr: presets[preset].strongAmr,
})

/** What the form begins with where a provider is edited: what is stored, and no secret. */
export const storedProvider = (provider: OutputOf<typeof sso.calls.provider>): ProviderValues => ({
  name: provider.name,
  preset: provider.preset,
  issuer: provider.issuer,
  clientId: provider.clientId,
  clientSecret: '',
  clientAuthentication: provider.clientAuthentication,
  scopes: provider.scopes,
  userInfo: provider.userInfo,
  listed: provider.listed,
  domains: provider.domains,
  linkByAddress: provider.linkByAddress,
  createAccounts: provider.createAccounts,
  requireRule: provider.requireRule,
  claims: provider.claims,
  rules: provider.rules,
  secondFactor: provider.secondFactor,
  strongAcr: provider.strongAcr,
  strongAmr: provider.strongAmr,
})

const operatorWords = { is: () => t('is'), begins: () => t('begins with'), contains: () => t('contains') }

export function ProviderFields({
  form,
  roles,
  secretStored,
}: {
  form: FormKit<ProviderValues>
  roles: Choices['roles']
  secretStored: boolean
}) {
  const { values } = form
  const preset = presets[values.preset]
  const choose = (name: PresetName): void => {
    const { issuer, scopes, userInfo, strongAcr, strongAmr } = presets[name]
    form.set('preset', name)
    // What somebody has typed stays.
    if (values.issuer === preset.issuer) form.set('issuer', issuer)
    form.set('scopes', scopes)
    form.set('userInfo', userInfo)
    form.set('strongAcr', strongAcr)
    form.set('strongAmr', strongAmr)
  }
  return (
    <>
      <FormSection title={t('Provider')}>
        <SelectField
          {...form.field('preset')}
          onChange={(name: string | undefined) => choose(presetNames.find((one) => one === name) ?? 'generic')}
          label={t('Kind')}
          options={presetNames.map((value) => ({ value, label: t(presets[value].label) }))}
          required
        />
        <Text size="sm" c="dimmed">
          {t(preset.hint)}
        </Text>
        <TextField {...form.field('name')} label={t('Name')} hint={t('People read it on the sign-in page')} required />
        <TextField
          {...form.field('issuer')}
          label={t('Issuer')}
          hint={t('Its address, to which /.well-known/openid-configuration is added')}
          required
        />
        <TestConnection issuer={values.issuer} />
        <TextField {...form.field('clientId')} label={t('Client ID')} required />
        <RadioField
          {...form.field('clientAuthentication')}
          label={t('Client authentication')}
          options={[
            { value: 'secret', label: t('Client secret') },
            { value: 'none', label: t('None: a public client, with PKCE alone') },
          ]}
        />
        {values.clientAuthentication === 'secret' && (
          <PasswordField
            {...form.field('clientSecret')}
            label={t('Client secret')}
            autoComplete="off"
            hint={secretStored ? t('One is stored and never shown. Left empty, it stays') : t('It is never shown again')}
            required={!secretStored}
          />
        )}
      </FormSection>
      <FormSection title={t('Who comes in')}>
        <TagsField
          {...form.field('domains')}
          label={t('E-mail domains')}
          hint={t('Who enters an address of these is led here. Each counts once your organisation has proved it')}
        />
        <SwitchField
          {...form.field('linkByAddress')}
          label={t('Link accounts that exist')}
          hint={t('By an address that the provider has verified, in a proved domain named above. Administrators are never linked')}
        />
        <SwitchField
          {...form.field('createAccounts')}
          label={t('Make accounts at the first sign-in')}
          hint={t('With a verified address that nobody here has, in a proved domain named above')}
        />
        <SwitchField {...form.field('requireRule')} label={t('Only people for whom a rule matches')} />
        <SwitchField
          {...form.field('listed')}
          label={t('Button on the sign-in page')}
          hint={t('Shown where this is the first tenancy of the installation. Its address works always')}
        />
      </FormSection>
      <Rules form={form} roles={roles} />
      <FormSection title={t('Second factor')}>
        <RadioField
          {...form.field('secondFactor')}
          label={t('After the provider')}
          options={[
            { value: 'ask', label: t('Ask for the sign-in code, unless the provider says that it has asked for a second factor') },
            { value: 'waive', label: t('Never ask for the sign-in code') },
          ]}
        />
        <TagsField {...form.field('strongAmr')} label={t('Values of amr that stand for a second factor')} />
        <TagsField {...form.field('strongAcr')} label={t('Values of acr that stand for a second factor')} />
      </FormSection>
      <FormSection title={t('Scopes and claims')} folded={values.scopes.join(', ')}>
        <TagsField {...form.field('scopes')} label={t('Scopes')} />
        <SwitchField {...form.field('userInfo')} label={t('Read the userinfo endpoint')} hint={t('For claims that the ID token lacks')} />
        <TextField {...form.field('claims.username')} label={t('Claim of the username')} required />
        <TextField {...form.field('claims.givenName')} label={t('Claim of the given name')} required />
        <TextField {...form.field('claims.familyName')} label={t('Claim of the family name')} required />
      </FormSection>
    </>
  )
}

function Rules({ form, roles }: { form: FormKit<ProviderValues>; roles: Choices['roles'] }) {
  const { rules, preset } = form.values
  return (
    <FormSection title={t('Roles by claims')}>
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          {t('What a rule gives is taken away at the next sign-in where the claim is gone. What somebody gave by hand stays.')}
        </Text>
        {rules.map((_, at) => (
          // Rows have no other name than their place.
          // oxlint-disable-next-line react/no-array-index-key
          <Stack key={at} gap="sm">
            <TextField {...form.field(`rules.${at}.claim`)} label={t('Claim of rule {number}', { number: at + 1 })} required />
            <SelectField
              {...form.field(`rules.${at}.operator`)}
              label={t('Condition of rule {number}', { number: at + 1 })}
              options={ruleOperators.map((value) => ({ value, label: operatorWords[value]() }))}
              required
            />
            <TextField {...form.field(`rules.${at}.value`)} label={t('Value of rule {number}', { number: at + 1 })} required />
            <MultiSelectField
              {...form.field(`rules.${at}.roleIds`)}
              label={t('Roles of rule {number}', { number: at + 1 })}
              options={roles.map(roleOption)}
            />
            <Group>
              <Button
                variant="subtle"
                color="red"
                leftSection={<IconTrash size={16} stroke={1.8} aria-hidden />}
                onClick={() => form.set('rules', rules.toSpliced(at, 1))}
              >
                {t('Remove rule {number}', { number: at + 1 })}
              </Button>
            </Group>
          </Stack>
        ))}
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
            onClick={() => form.set('rules', [...rules, { claim: presets[preset].groupsClaim, operator: 'is', value: '', roleIds: [] }])}
          >
            {t('Add rule')}
          </Button>
        </Group>
      </Stack>
    </FormSection>
  )
}

/** Asks the issuer, before anything is saved. */
function TestConnection({ issuer }: { issuer: string }) {
  const [answer, setAnswer] = useState<{ said?: OutputOf<typeof sso.calls.discover>; fault?: CallFault; pending?: true }>({})
  const ask = async (): Promise<void> => {
    setAnswer({ pending: true })
    try {
      setAnswer({ said: await send(sso.calls.discover, { issuer }) })
    } catch (error) {
      setAnswer({ fault: asCallFault(error) })
    }
  }
  const { said } = answer
  return (
    <Stack gap="sm" aria-live="polite">
      <Group>
        <Button
          variant="default"
          loading={answer.pending === true}
          leftSection={<IconPlugConnected size={16} stroke={1.8} aria-hidden />}
          onClick={() => void ask()}
        >
          {t('Test connection')}
        </Button>
      </Group>
      <FaultAlert fault={answer.fault} />
      {said !== undefined && (
        <Alert color={said.keys > 0 && said.algorithms.length > 0 ? 'green' : 'red'} title={t('The provider answers')}>
          <Facts
            items={[
              { label: t('Sign-in page'), value: said.authorizationEndpoint },
              { label: t('Signing keys'), value: said.keys },
              { label: t('Algorithms'), value: said.algorithms.join(', ') },
              { label: t('PKCE'), value: said.pkce ? t('Announced') : t('Not announced; used all the same') },
              { label: t('Issuer in answers'), value: said.namesIssuer ? t('Yes') : t('No') },
              { label: t('Claims'), value: said.claims.join(', ') },
            ]}
          />
        </Alert>
      )}
    </Stack>
  )
}
