/** The address of the API for the dashboard's pages. Project and mode are part of every path. */
export const apiBase = '/dashboard/api/{projectId}/{mode}';
