using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Web.Script.Serialization;
using System.Web.Services.Protocols;

/// <summary>What a program adds to a generated proxy in order to send a header of its own.</summary>
public partial class Service
{
    public string Authorization;

    protected override WebRequest GetWebRequest(Uri uri)
    {
        var request = base.GetWebRequest(uri);
        request.Headers["Authorization"] = Authorization;
        return request;
    }
}

/// <summary>
/// Calls operations through a generated proxy. Standard input: the calls; standard output: what came of them;
/// both JSON.
/// </summary>
public static class ProxyClient
{
    public static void Main()
    {
        var json = new JavaScriptSerializer();
        var order = json.Deserialize<Dictionary<string, object>>(Console.In.ReadToEnd());
        var service = new Service { Authorization = (string)order["authorization"] };
        var calls = ((System.Collections.IEnumerable)order["calls"]).Cast<Dictionary<string, object>>();
        Console.WriteLine(json.Serialize(calls.Select(call => Outcome(service, call)).ToArray()));
    }

    static object Outcome(Service service, Dictionary<string, object> call)
    {
        var method = typeof(Service).GetMethod((string)call["operation"]);
        var given = (Dictionary<string, object>)call["parameters"];
        var arguments = method.GetParameters().Select(parameter => Argument(parameter, given)).ToArray();
        try
        {
            var records = (Array)method.Invoke(service, arguments);
            return new { records = records.Cast<object>().Select(Fields).ToArray() };
        }
        catch (TargetInvocationException thrown)
        {
            return new { fault = Fault(thrown.InnerException) };
        }
    }

    /// <summary>A value type that may be left out has a second parameter, which says whether it is given.</summary>
    static object Argument(ParameterInfo parameter, Dictionary<string, object> given)
    {
        const string suffix = "Specified";
        if (parameter.Name.EndsWith(suffix))
        {
            return given.ContainsKey(parameter.Name.Substring(0, parameter.Name.Length - suffix.Length));
        }
        object value;
        if (given.TryGetValue(parameter.Name, out value)) return Convert.ChangeType(value, parameter.ParameterType);
        return parameter.ParameterType.IsValueType ? Activator.CreateInstance(parameter.ParameterType) : null;
    }

    static Dictionary<string, object> Fields(object record)
    {
        return record.GetType().GetProperties().ToDictionary(field => field.Name, field => Plain(field.GetValue(record, null)));
    }

    static object Plain(object value)
    {
        return value is DateTime ? ((DateTime)value).ToUniversalTime().ToString("o") : value;
    }

    static object Fault(Exception thrown)
    {
        var fault = thrown as SoapException;
        if (fault == null) return new { code = thrown.GetType().Name, message = thrown.Message, detail = "" };
        var detail = fault.Detail == null ? "" : fault.Detail.OuterXml;
        return new { code = fault.Code.Name, message = fault.Message, detail };
    }
}
