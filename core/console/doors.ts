// The calls that the console itself makes, before and between the rooms' screens. Their paths are the specification's.

import type { Door } from './send.ts'

const door = (method: Door['method'], path: string, name: string): Door => ({ method, path, area: 'sessions', name })

export const doors = {
  bootstrap: door('GET', '/api2/IDM-v1/Bootstrap', 'bootstrap'),
  checkSession: door('POST', '/api2/Authentication-v1/check-session', 'checkSession'),
  refreshSession: door('POST', '/api2/Authentication-v1/refresh-session', 'refreshSession'),
  legacyLogout: door('POST', '/api/logout', 'legacyLogout'),
  logout: door('POST', '/api2/Authentication-v1/logout', 'logout'),
  switchTenancy: door('POST', '/api2/IDM-v1/SwitchTenancy', 'switchTenancy'),
} as const
