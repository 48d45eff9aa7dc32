// This tenancy's own rules over the templates that it may use: each only stricter than the template's.

import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import { useNavigate, useSearchParams } from 'react-router'
import { templates } from '#areas/templates/contract.ts'
import { keyKinds } from '#areas/templates/rules.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { CheckboxGroupField, NumberField, SelectField, SwitchField, TagsField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { licensing } from '../contract.ts'

const listPath = to(licensing.screens.rules)
const rulePath = (id: string) => `${listPath}?template=${id}`

const question = { key: 'licensing.rules' } as const

TemplateRules.ask = (address: URLSearchParams) => askForList(licensing.calls.rules, question, address)

export function TemplateRules() {
  const [search] = useSearchParams()
  const id = search.get('template')
  return id === null ? <RuleList /> : <Rule key={id} id={id} />
}

const approvers = (count: number): string => t('{count, plural, =0 {Nobody} one {One other person} other {# other people}}', { count })

function RuleList() {
  const may = useMay()
  const list = useList(licensing.calls.rules, question)
  return (
    <Page
      title={t('Template rules')}
      intro={t('Rules of this tenancy over the templates that it may use. They can ask for more than a template does, and never for less.')}
    >
      <DataTable
        list={list}
        label={t('Templates')}
        search={t('Name, authority or owner')}
        rowId={(row) => row.licensedTemplateId}
        rowName={(row) => row.displayName}
        columns={[
          { key: 'displayName', label: t('Name'), link: (row) => rulePath(row.licensedTemplateId), cell: (row) => row.displayName },
          {
            key: 'narrowed',
            label: t('Rules'),
            aside: true,
            cell: (row) =>
              row.narrowed ? <Status of="active" label={t('Stricter here')} /> : <Status of="draft" label={t('As the template')} />,
            csv: (row) => (row.narrowed ? t('Stricter here') : t('As the template')),
          },
          { key: 'caName', label: t('Authority'), cell: (row) => row.caName },
          { key: 'owner', label: t('Owner'), cell: (row) => (row.own ? t('This tenancy') : row.owner) },
          {
            key: 'issueApprovers',
            label: t('Approval'),
            cell: (row) =>
              t('{count, plural, =0 {No approval} one {One other approves} other {# others approve}}', { count: row.issueApprovers }),
          },
          {
            key: 'allowedDomains',
            label: t('Domains'),
            phone: false,
            cell: (row) => (row.allowedDomains.length === 0 ? t('Any') : row.allowedDomains.join(', ')),
          },
        ]}
        rowActions={(row) => [{ label: t('Change rules'), to: rulePath(row.licensedTemplateId) }]}
        empty={{
          icon: IconShieldCheck,
          title: t('No template to narrow'),
          text: t('Rules are laid over templates. This tenancy has none yet, and none is licensed to it.'),
          action: may('manageCAs', 'View') && <LinkButton to={to(templates.screens.manage, { id: 'new' })}>{t('New template')}</LinkButton>,
        }}
      />
    </Page>
  )
}

function Rule({ id }: { id: string }) {
  const query = useCall(licensing.calls.rule, { licensedTemplateId: id })
  if (query.data !== undefined) return <RuleForm key={query.data.version} template={query.data} />
  return (
    <Page title={t('Rules for a template')} inside>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

type Values = Omit<InputOf<typeof licensing.calls.setRule>, 'licensedTemplateId' | 'version'>

function RuleForm({ template }: { template: OutputOf<typeof licensing.calls.rule> }) {
  const navigate = useNavigate()
  const { licensedTemplateId, version, says, rules, displayName, templateName } = template
  const counts = (least: number) => [
    { value: '0', label: t('As the template: {who}', { who: approvers(least) }) },
    ...Array.from({ length: 10 - Math.max(least, 1) + 1 }, (_, at) => Math.max(least, 1) + at).map((count) => ({
      value: String(count),
      label: approvers(count),
    })),
  ]
  return (
    <Page
      title={t('Rules for the template {name}', { name: displayName === '' ? templateName : displayName })}
      inside
      narrow
      intro={
        template.own
          ? t('Of {authority}', { authority: template.caName })
          : t('Of {authority}, licensed by {owner}', { authority: template.caName, owner: template.owner })
      }
    >
      <Form
        call={licensing.calls.setRule}
        initial={{ ...rules, maximumNames: Math.min(rules.maximumNames, says.maximumNames) }}
        toInput={(values: Values) => ({ ...values, licensedTemplateId, version })}
        submit={t('Save rules')}
        cancel={{ label: t('Back to the list'), to: listPath }}
        invalidates={['templates', 'certificates']}
        onDone={() => navigate(listPath)}
      >
        {(form) => (
          <Stack gap="md">
            <Section title={t('What the template says')}>
              <Facts
                items={[
                  { label: t('Keys'), value: says.keys.map((name) => keyKinds[name].label).join(', ') },
                  { label: t('Domains'), value: says.allowedDomains.length === 0 ? t('Any') : says.allowedDomains.join(', ') },
                  { label: t('Approvers of a request'), value: approvers(says.issueApprovers) },
                  { label: t('Approvers of a revocation'), value: approvers(says.revocationApprovers) },
                ]}
              />
            </Section>
            <Section title={t('Names')}>
              <TagsField
                {...form.field('allowedDomains')}
                error={
                  form.error('allowedDomains') ??
                  form.values.allowedDomains.map((_, at) => form.error(`allowedDomains.${at}`)).find((wrong) => wrong !== undefined)
                }
                label={t('Allowed domains')}
                hint={t('Only these of the template’s. Empty leaves them as the template has them.')}
              />
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <NumberField
                  {...form.field('maximumNames')}
                  label={t('Most alternative names')}
                  hint={t('The template allows {count}', { count: says.maximumNames })}
                  min={1}
                  max={says.maximumNames}
                />
                {says.wildcards && (
                  <SwitchField {...form.field('wildcards')} label={t('Allow wildcards')} hint={t('Names such as *.example.org')} />
                )}
              </SimpleGrid>
            </Section>
            <Section title={t('Keys')}>
              <CheckboxGroupField
                {...form.field('keys')}
                label={t('Only these keys')}
                columns={3}
                options={says.keys.map((value) => ({ value, label: keyKinds[value].label }))}
              />
              <Text size="sm" c="dimmed">
                {t('None chosen leaves them as the template has them.')}
              </Text>
            </Section>
            <Section title={t('Who agrees')}>
              <Group grow align="flex-start">
                {(['issueApprovers', 'revocationApprovers'] as const).map((name) => (
                  <SelectField
                    key={name}
                    {...form.field(name)}
                    value={String(form.values[name])}
                    onChange={(picked) => form.set(name, Number(picked ?? 0))}
                    label={name === 'issueApprovers' ? t('Approvers of a request') : t('Approvers of a revocation')}
                    options={counts(says[name])}
                  />
                ))}
              </Group>
            </Section>
          </Stack>
        )}
      </Form>
    </Page>
  )
}
