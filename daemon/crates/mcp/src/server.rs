//! The server of one connection, as `rmcp` calls it.

use crate::daemon::{Calls, Daemon};
use crate::resources;
use crate::tools::{self, Call, Mistake, ToolOutput};
use crate::transport::GIVEN_UP;
use crate::watching::{Listener, Watching};
use ccd_protocol::mcp::Opening;
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    RequestId, ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{Peer, RoleServer, ServerHandler};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The newest version of MCP, and the two before it.
const VERSIONS: [ProtocolVersion; 3] = [
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

const PROGRESS_PERIOD: Duration = Duration::from_secs(2);

const INSTRUCTIONS: &str = "Real terminals that outlive this conversation. Use session_start and session_send for anything \
    interactive or long-running, shell_run for commands that need the state of a shell, program_run for a single program \
    that exits. Let the call wait (until, pattern); never sleep. The last line of a result, in brackets, says what the program is doing and at which offset to \
    continue reading (session_read with from).";

/// The instructions if `mcp.read_only` is set.
const READING: &str = "Read-only access to terminals that people and other agents use: session_list lists them, session_read \
    and session_screen return what they print, and can wait for it.";

/// The name of an agent that gives none.
pub(crate) const NAMELESS: &str = "mcp";

pub(crate) struct Server {
    daemon: Arc<dyn Daemon>,
    opening: Opening,
    /// Requests that an earlier worker did not answer.
    unanswered: Mutex<HashSet<RequestId>>,
    pub(crate) watching: Watching,
    /// See [`Call::shell`].
    shell: tokio::sync::Mutex<()>,
    tracker: TaskTracker,
}

impl Server {
    pub(crate) fn new(
        daemon: Arc<dyn Daemon>,
        opening: Opening,
        unanswered: HashSet<RequestId>,
        stop: CancellationToken,
        tracker: TaskTracker,
    ) -> Self {
        Self {
            watching: Watching::new(Arc::clone(&daemon), stop, tracker.clone()),
            daemon,
            opening,
            unanswered: Mutex::new(unanswered),
            shell: tokio::sync::Mutex::default(),
            tracker,
        }
    }

    /// Subscribes again to a resource, for a client that an earlier worker served.
    pub(crate) fn resubscribe(&self, uri: &str, peer: &Peer<RoleServer>) {
        if let Some(resource) = resources::Resource::parse(uri) {
            // The limit is the same as for the earlier worker. The client may have missed an update.
            let _ = (self.watching).start(resource, 0, Listener::Peer(peer.clone()));
        }
    }

    fn call<'a>(&'a self, agent: &'a str, id: &RequestId) -> Call<'a> {
        Call {
            calls: Calls {
                daemon: &*self.daemon,
                agent,
            },
            opening: &self.opening,
            policy: self.daemon.policy(),
            key: format!("mcp-{}-{id}", self.opening.instance),
            shell: &self.shell,
        }
    }

    async fn run_tool(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(tool) = tools::find(&request.name) else {
            let text = format!("no tool is named {:?}; tools/list lists them", request.name);
            return Err(ErrorData::invalid_params(text, None));
        };
        let agent = agent(context);
        let call = self.call(&agent, &context.id);
        if call.policy.read_only && !tool.reads {
            let text = "not allowed: the configuration key mcp.read_only is true";
            return Ok(failure(text.to_owned()));
        }
        // An earlier worker got the request and did not answer it.
        let is_repeated = self.unanswered.lock().remove(&context.id);
        if is_repeated && !tool.repeats {
            return Ok(failure(format!(
                "the daemon was replaced during this call: it is unknown whether {} was carried out. Before you repeat it, \
                 check with session_list and session_read",
                tool.name
            )));
        }
        let prepared = match (tool.prepare)(request.arguments.unwrap_or_default()) {
            Ok(prepared) => prepared,
            Err(Mistake(sentence)) => return Ok(failure(sentence)),
        };
        let longest_s = prepared.longest_s;
        let result = tokio::select! {
            biased;
            result = (prepared.run)(&call) => result,
            never = report_progress(context, longest_s) => match never {},
        };
        match result {
            Ok(output) => Ok(success(output)),
            Err(Mistake(sentence)) if sentence.is_empty() => Err(given_up()),
            Err(Mistake(sentence)) => Ok(failure(sentence)),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .build();
        let own = Implementation::new("ccd", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(own)
            .with_instructions(if self.daemon.policy().read_only {
                READING
            } else {
                INSTRUCTIONS
            })
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&VERSIONS)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.watching.list(context.peer, false);
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::all(self.daemon.policy().read_only);
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // The connection waits for its calls.
        let _running = self.tracker.token();
        let cancelled = context.ct.clone();
        tokio::select! {
            biased;
            result = self.run_tool(request, &context) => result.map(CallToolResponse::from),
            () = cancelled.cancelled() => Err(given_up()),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let agent = agent(&context);
        let resources = resources::list(&self.call(&agent, &context.id)).await?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            resources::templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let _running = self.tracker.token();
        let agent = agent(&context);
        let call = self.call(&agent, &context.id);
        let contents = resources::read(&call, &request.uri).await?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let agent = agent(&context);
        let call = self.call(&agent, &context.id);
        let (resource, since) = resources::find(&call, &request.uri).await?;
        self.watching
            .start(resource, since, Listener::Peer(context.peer.clone()))
            .map_err(|text| ErrorData::invalid_request(text, None))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watching.end(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.resource_subscriptions = requested.resource_subscriptions.clone();
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let _running = self.tracker.token();
        let request = context.request_context();
        let agent = agent(request);
        let call = self.call(&agent, &request.id);
        let mut resources = Vec::new();
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            // Nothing is said of a resource that does not exist, or that the agent may not see. What was printed since the
            // acknowledgment is news; where that was is not known.
            let found = resources::find(&call, uri).await.ok();
            resources.extend(found.map(|(resource, _)| resource));
        }
        self.watching.listen(&context, &resources).await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A known method whose parameters have another form arrives here too.
        let text = format!("{}: unknown method, or wrong parameters", request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None))
    }
}

fn agent(context: &RequestContext<RoleServer>) -> String {
    let name = context.client_info().map(|client| client.name);
    name.filter(|name| !name.is_empty())
        .unwrap_or_else(|| NAMELESS.to_owned())
}

/// Tells a client that asked for it that the call still runs.
async fn report_progress(
    context: &RequestContext<RoleServer>,
    longest_s: Option<f64>,
) -> std::convert::Infallible {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let began = Instant::now();
    loop {
        tokio::time::sleep(PROGRESS_PERIOD).await;
        let passed_s = began.elapsed().as_secs_f64().round();
        let mut progress = ProgressNotificationParam::new(token.clone(), passed_s)
            .with_message(format!("{passed_s} s elapsed"));
        if let Some(longest_s) = longest_s {
            progress = progress.with_total(longest_s);
        }
        // It fails once the connection has ended; then the call ends too.
        let _ = context.peer.notify_progress(progress).await;
    }
}

/// The reply that is never sent.
fn given_up() -> ErrorData {
    ErrorData::new(GIVEN_UP, "cancelled", None)
}

fn success(output: ToolOutput) -> CallToolResult {
    let mut content = vec![ContentBlock::text(output.text)];
    if let Some(image) = output.image {
        content.push(ContentBlock::image(image, "image/png"));
    }
    CallToolResult::success(content)
}

fn failure(sentence: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(sentence)])
}
