// The fields of a directory. The same ones add and edit.

import { Button, Group, Stack } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { CheckboxGroupField, NumberField, SelectField, SwitchField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { FormSection } from '#core/console/kit/LongForm.tsx'
import { t } from '#core/console/text.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import { challengeTypes } from '#standards/acme/challenge-types.ts'
import type { acme } from '../contract.ts'
import { challengeTexts } from '../rules.ts'
import { WithoutApprovals } from './WithoutApprovals.tsx'

export type DirectoryValues = InputOf<typeof acme.calls.addDirectory>
type Templates = OutputOf<typeof acme.calls.choices>['templates']

export const newDirectory = (templates: Templates): DirectoryValues => ({
  name: '',
  enabled: true,
  profiles: [
    {
      name: 'default',
      description: '',
      templateId: (templates.find(({ approvals }) => approvals === 0) ?? templates[0])?.templateId ?? '',
    },
  ],
  eabRequired: true,
  challenges: challengeTypes.filter((type) => challengeTexts[type].off !== true),
  httpPort: 80,
  tlsPort: 443,
  nameServers: [],
  vantagePoints: [],
  caaIdentities: [],
  authorizationDays: 7,
  orderHours: 24,
  renewalInformation: true,
  website: '',
  termsOfService: '',
})

export function DirectoryFields({ form, templates }: { form: FormKit<DirectoryValues>; templates: Templates }) {
  const { values } = form
  const wrongAmong = (path: 'nameServers' | 'caaIdentities'): string | undefined =>
    form.error(path) ?? values[path].map((_, at) => form.error(`${path}.${at}`)).find((wrong) => wrong !== undefined)
  return (
    <>
      <FormSection title={t('Directory')}>
        <TextField {...form.field('name')} label={t('Name')} required />
        <SwitchField {...form.field('enabled')} label={t('Switched on')} />
        <SwitchField
          {...form.field('eabRequired')}
          label={t('Only with an EAB key')}
          hint={t('Without it whoever reaches this server, and can prove a name, gets a certificate for it')}
        />
      </FormSection>
      <Profiles form={form} templates={templates} />
      <FormSection title={t('How names are proven')}>
        <CheckboxGroupField
          {...form.field('challenges')}
          label={t('Challenges')}
          options={challengeTypes
            .filter((type) => type !== 'device-attest-01')
            .map((value) => ({ value, label: t(challengeTexts[value].label), hint: t(challengeTexts[value].hint) }))}
          columns={1}
        />
        <TagsField
          {...form.field('nameServers')}
          error={wrongAmong('nameServers')}
          label={t('Name servers')}
          hint={t('Addresses such as 192.0.2.53 or 192.0.2.53:5353. Without any, those of the installation')}
        />
        <TagsField
          {...form.field('caaIdentities')}
          error={wrongAmong('caaIdentities')}
          label={t('Domains of this authority in CAA records')}
          hint={t('Without any, CAA records are not read: they are about public authorities')}
        />
      </FormSection>
      <FormSection
        title={t('Ports and vantage points')}
        folded={t('Ports {http} and {tls}', { http: values.httpPort, tls: values.tlsPort })}
      >
        <NumberField {...form.field('httpPort')} label={t('Port of http-01')} hint={t('The standard says 80')} min={1} max={65_535} />
        <NumberField {...form.field('tlsPort')} label={t('Port of tls-alpn-01')} hint={t('The standard says 443')} min={1} max={65_535} />
        <VantagePoints form={form} />
      </FormSection>
      <FormSection title={t('Times and texts')} folded={t('Names count for {days} days', { days: values.authorizationDays })}>
        <NumberField
          {...form.field('authorizationDays')}
          label={t('How long a proven name counts')}
          hint={t('For further orders of the same account. 0: for one order alone')}
          suffix={t('days')}
          min={0}
          max={90}
        />
        <NumberField {...form.field('orderHours')} label={t('How long an order waits')} suffix={t('hours')} min={1} max={168} />
        <SwitchField {...form.field('renewalInformation')} label={t('Tell clients when to renew (ARI)')} />
        <TextField {...form.field('website')} label={t('Web site')} type="url" />
        <TextField
          {...form.field('termsOfService')}
          label={t('Terms of service')}
          type="url"
          hint={t('An address. Clients must agree to them when they register')}
        />
      </FormSection>
    </>
  )
}

function Profiles({ form, templates }: { form: FormKit<DirectoryValues>; templates: Templates }) {
  const { profiles } = form.values
  return (
    <FormSection title={t('Templates')}>
      <Stack gap="lg">
        {profiles.map((_, at) => (
          // Rows have no other name than their place.
          // oxlint-disable-next-line react/no-array-index-key
          <Stack key={at} gap="sm">
            <SelectField
              {...form.field(`profiles.${at}.templateId`)}
              label={t('Template')}
              required
              options={templates.map(({ templateId, name, approvals }) => ({
                value: templateId,
                label:
                  approvals === 0
                    ? name
                    : t('{name} ({count, plural, one {# approval} other {# approvals}}: clients wait)', { name, count: approvals }),
              }))}
            />
            <WithoutApprovals
              chosen={templates.find(({ templateId }) => templateId === form.values.profiles[at]?.templateId)}
              onMade={(templateId) => form.set(`profiles.${at}.templateId`, templateId)}
            />
            <TextField
              {...form.field(`profiles.${at}.name`)}
              label={t('Profile')}
              hint={at === 0 ? t('Clients that choose none get this one') : t('The name by which clients choose it')}
              required
            />
            <TextField {...form.field(`profiles.${at}.description`)} label={t('Description')} />
            {profiles.length > 1 && (
              <Group>
                <Button
                  variant="subtle"
                  color="red"
                  leftSection={<IconTrash size={16} stroke={1.8} aria-hidden />}
                  onClick={() => form.set('profiles', profiles.toSpliced(at, 1))}
                >
                  {t('Remove profile {name}', { name: profiles[at]?.name ?? '' })}
                </Button>
              </Group>
            )}
          </Stack>
        ))}
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
            onClick={() => form.set('profiles', [...profiles, { name: '', description: '', templateId: templates[0]?.templateId ?? '' }])}
          >
            {t('Add profile')}
          </Button>
        </Group>
      </Stack>
    </FormSection>
  )
}

function VantagePoints({ form }: { form: FormKit<DirectoryValues> }) {
  const { vantagePoints } = form.values
  return (
    <Stack gap="lg">
      {vantagePoints.map(({ nameServers }, at) => (
        // oxlint-disable-next-line react/no-array-index-key
        <Stack key={at} gap="sm">
          <TextField {...form.field(`vantagePoints.${at}.name`)} label={t('Vantage point')} required />
          <TagsField
            {...form.field(`vantagePoints.${at}.nameServers`)}
            error={
              form.error(`vantagePoints.${at}.nameServers`) ??
              nameServers.map((_, index) => form.error(`vantagePoints.${at}.nameServers.${index}`)).find((wrong) => wrong !== undefined)
            }
            label={t('Its name servers')}
          />
          <Group>
            <Button
              variant="subtle"
              color="red"
              leftSection={<IconTrash size={16} stroke={1.8} aria-hidden />}
              onClick={() => form.set('vantagePoints', vantagePoints.toSpliced(at, 1))}
            >
              {t('Remove vantage point')}
            </Button>
          </Group>
        </Stack>
      ))}
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
          onClick={() => form.set('vantagePoints', [...vantagePoints, { name: '', nameServers: [] }])}
        >
          {t('Add vantage point')}
        </Button>
      </Group>
    </Stack>
  )
}
